import { readEnvironment } from './environment';
import { SETTINGS } from './settings';
import { shownSettings } from './shown-settings';

describe(shownSettings.name, () => {
  /** Settings named like a secret that are not secret. */
  const NO_SECRETS = [
    'MAX_API_KEYS',
    'MAX_FAILED_KEYS',
    'MAX_PASSWORD_CHANGES',
    'PASSWORD_HASH_CONCURRENCY',
    'PASSWORD_SIGN_IN',
    'SPACE_KEY',
    'TLS_KEY',
  ];

  it('returns the settings that differ from their defaults', () => {
    expect(shownSettings(readEnvironment({}))).toEqual({});
    expect(shownSettings(readEnvironment({ PORT: '80', WEBHOOK_ALLOW: '10.0.0.0/8' }))).toEqual({
      PORT: 80,
      WEBHOOK_ALLOW: ['10.0.0.0/8'],
    });
  });

  it.each([
    [
      'DATABASE_URL',
      'mariadb://root:pa@ss%3A@db.internal,b:3307/tracker?ssl=true',
      'mariadb://db.internal,b:3307/tracker?ssl=true',
    ],
    ['DATABASE_URL', 'mysql://root@localhost/tracker', 'mysql://localhost/tracker'],
    ['DATABASE_URL', 'sqlite:./a@b.db', 'sqlite:./a@b.db'],
    ['REDIS_URL', 'rediss://user:secret@cache:6380/2', 'rediss://cache:6380/2'],
    ['ADMIN_API_KEY', 'k'.repeat(40), '(set)'],
    ['ENCRYPTION_KEY', Buffer.alloc(32).toString('base64'), '(set)'],
  ])('shows %s=%s as %s', (name, value, text) => {
    expect(shownSettings(readEnvironment({ [name]: value }))).toEqual({ [name]: text });
  });

  it('hides every setting whose name suggests a secret', () => {
    const secrets = Object.keys(SETTINGS).filter(
      (name) => /KEY|SECRET|PASSWORD|PASSPHRASE|TOKEN/.test(name) && !NO_SECRETS.includes(name),
    );
    const values: Record<string, string> = { REPLACE_LOST_SECRETS: 'true', WEBHOOK_SECRET_OVERLAP: '1' };
    for (const name of secrets.filter((secret) => !(secret in values))) {
      const environment = { ...readEnvironment({}), [name]: 'a value of some length' };
      expect(shownSettings(environment as ReturnType<typeof readEnvironment>)).toEqual({ [name]: '(set)' });
    }
  });
});
