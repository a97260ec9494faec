import { type Environment, readEnvironment } from './environment';
import { type Setting } from './setting-rules';
import { SETTINGS } from './settings';

const settings: Record<string, Setting> = SETTINGS;

/** User and password of a URL; greedy, because the password of a database URL may contain an at sign. */
const CREDENTIALS = /(:\/\/)[^/?#]*@/;

/** Returns the settings that differ from their defaults, for the log: without secrets, and without passwords of URLs. */
export function shownSettings(environment: Environment): Record<string, unknown> {
  const defaults = readEnvironment({}) as unknown as Record<string, unknown>;
  const entries = Object.entries(environment).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, maskSecrets(name, value)]));
}

function maskSecrets(name: string, value: unknown): unknown {
  if (settings[name]?.isSecret) return '(set)';
  return typeof value === 'string' ? value.replace(CREDENTIALS, '$1') : value;
}
