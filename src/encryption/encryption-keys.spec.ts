import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError, readEnvironment } from '../config/environment';
import { encryptionKeys, isEncryptionKey } from './encryption-keys';

const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);

describe('encryptionKeys', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'project-management-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const keys = (variables: Record<string, string>): Buffer[] => {
    const found = encryptionKeys(readEnvironment(variables));
    found.keep();
    return found.keys;
  };
  const embedded = (): Record<string, string> => ({
    DATABASE_URL: `sqlite:${join(folder, 'data', 'service.db')}`,
  });
  const keyFile = (): string => join(folder, 'data', 'encryption.key');

  it('returns the keys of ENCRYPTION_KEY in order on any database', () => {
    const ENCRYPTION_KEY = `${KEY.toString('base64')},${OTHER_KEY.toString('base64')}`;
    for (const DATABASE_URL of [
      'mariadb://root@localhost/service',
      'sqlite::memory:',
      embedded().DATABASE_URL,
    ]) {
      expect(keys({ ENCRYPTION_KEY, DATABASE_URL: DATABASE_URL as string })).toEqual([KEY, OTHER_KEY]);
    }
    expect(() => statSync(keyFile())).toThrow('ENOENT');
  });

  it('creates a key file with mode 600 once beside the embedded database', () => {
    const [made] = keys(embedded());
    expect(made).toHaveLength(32);
    expect(keys(embedded())).toEqual([made]);
    expect(readFileSync(keyFile(), 'utf8').trim()).toBe(made?.toString('base64'));
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  });

  it('writes the key file only on keep', () => {
    const { keep } = encryptionKeys(readEnvironment(embedded()));
    expect(() => statSync(keyFile())).toThrow('ENOENT');
    keep();
    expect(statSync(keyFile()).size).toBeGreaterThan(0);
  });

  it('refuses to overwrite a key file that another process has created meanwhile', () => {
    const { keep } = encryptionKeys(readEnvironment(embedded()));
    const [made] = keys(embedded());
    expect(keep).toThrow(EnvironmentError);
    expect(keys(embedded())).toEqual([made]);
  });

  it('generates a random key for a database in memory', () => {
    expect(keys({ DATABASE_URL: 'sqlite::memory:' })).not.toEqual(keys({ DATABASE_URL: 'sqlite::memory:' }));
  });

  it.each(['', 'not a key\n', KEY.subarray(1).toString('base64')])(
    'refuses a key file with %j and leaves it unchanged',
    (text) => {
      keys(embedded());
      writeFileSync(keyFile(), text);
      expect(() => keys(embedded())).toThrow(EnvironmentError);
      expect(readFileSync(keyFile(), 'utf8')).toBe(text);
    },
  );

  it.each(['mysql://root@localhost/service', 'mariadb://root@localhost/service'])(
    'requires ENCRYPTION_KEY with %s and says how to generate one',
    (DATABASE_URL) => {
      expect(() => keys({ DATABASE_URL })).toThrow(/ENCRYPTION_KEY.*openssl rand -base64 32/);
    },
  );

  it('accepts only 32 bytes in base64 as a key', () => {
    expect(isEncryptionKey(randomBytes(32).toString('base64'))).toBe(true);
    for (const length of [16, 31, 33, 64]) {
      expect(isEncryptionKey(randomBytes(length).toString('base64'))).toBe(false);
    }
  });
});
