import { type Environment, readEnvironment } from './environment';

/** Settings whose value is a secret; `shown-settings.spec.ts` looks for others by their names. */
const SECRETS: ReadonlySet<string> = new Set([
  'ADMIN_API_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'BACKUP_PASSPHRASE',
  'ENCRYPTION_KEY',
  'METRICS_TOKEN',
]);

/** User and password of a URL, of which a database URL may have the last at sign in the password. */
const CREDENTIALS = /(:\/\/)[^/?#]*@/;

/** The settings that differ from their defaults, as a log may have them: no secrets, and no passwords of URLs. */
export function shownSettings(environment: Environment): Record<string, unknown> {
  const defaults = readEnvironment({}) as unknown as Record<string, unknown>;
  const entries = Object.entries(environment).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (SECRETS.has(name)) return '(set)';
  return typeof value === 'string' ? value.replace(CREDENTIALS, '$1') : value;
}
