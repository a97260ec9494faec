import { existsSync, statSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Environment } from '../config/environment';
import { keyFile } from '../encryption/encryption-keys';
import { isMissing } from '../errors/missing-file';
import { type Finding, ok, problem, warning } from './finding';

const GIB = 1024 ** 3;
const SCARCE_BYTES = GIB;
const TOO_FEW_BYTES = GIB / 10;

/** Checks the folders on this machine: who may read them, and how much space is left. */
export async function* checkLocalFolders(environment: Environment): AsyncGenerator<Finding> {
  const isInMemory = environment.DATABASE_URL === 'sqlite::memory:';
  const database =
    environment.isEmbeddedDatabase && !isInMemory ? resolve(environment.databaseName) : undefined;
  const { storageLocation: location } = environment;
  const files = location.type === 'folder' ? resolve(location.path) : undefined;
  if (database !== undefined) {
    yield* checkSecrecy(database, 'the database', 0o007);
    if (environment.ENCRYPTION_KEY === undefined) {
      const key = resolve(keyFile(environment));
      yield existsSync(key)
        ? ok('encryption key', key)
        : warning(
            'encryption key',
            `There is no ${key}.`,
            'The first start creates it; restore it if there was one.',
          );
      yield* checkSecrecy(key, 'the encryption key', 0o077);
    }
  }
  const folders = new Map([
    ...(database === undefined ? [] : [['data folder', dirname(database)] as const]),
    ...(files === undefined ? [] : [['files folder', files] as const]),
  ]);
  for (const [name, folder] of folders) {
    yield await checkFolder(name, folder);
    if (existsSync(folder)) yield await checkSpace(name, folder);
  }
}

function* checkSecrecy(path: string, what: string, others: number): Generator<Finding> {
  // Windows has no permission bits.
  if (process.platform === 'win32' || !existsSync(path)) return;
  const mode = statSync(path).mode & 0o777;
  if ((mode & others) === 0) return;
  yield warning(
    'permissions',
    `Users other than its owner may read ${what} (${path}, mode ${mode.toString(8)}).`,
    `Run: chmod ${others === 0o077 ? '600' : 'o-rwx'} ${path}`,
  );
}

async function checkFolder(name: string, folder: string): Promise<Finding> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(name, `${folder} can be read and written.`);
  } catch (error) {
    return isMissing(error)
      ? problem(name, `${folder} does not exist.`, 'Mount or restore it; the first start creates it.')
      : problem(name, `${folder} cannot be read and written.`, 'Make the user of the service its owner.');
  }
}

async function checkSpace(name: string, folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const message = `${(free / GIB).toFixed(1)} GiB are free in ${folder}.`;
  const check = `space of ${name}`;
  if (free < TOO_FEW_BYTES) return problem(check, message, 'Free space before the disk is full.');
  return free < SCARCE_BYTES ? warning(check, message, 'Make room.') : ok(check, message);
}
