import { type Environment } from '../config/environment';
import { declared, type DeclaredNames } from '../manifests';
import { type CountLimit, limitFromSetting } from './count-limit';

const OWN_LIMITS = {
  user: limitFromSetting('MAX_USERS', (most) => `A space can have at most ${most} users.`),
  /** The family's migration tools look for the first words. */
  project: limitFromSetting(
    'MAX_PROJECTS',
    (most) => `Project limit. A space can have at most ${most} projects.`,
  ),
  apiKey: limitFromSetting('MAX_API_KEYS', (most) => `A user can have at most ${most} API keys.`),
  attachedFile: limitFromSetting(
    'MAX_ATTACHED_FILES',
    (most) => `At most ${most} files can be attached to one object.`,
  ),
  unattachedFile: limitFromSetting(
    'MAX_UNATTACHED_FILES',
    (most) => `A user can have at most ${most} unattached files. Attach some, or wait an hour.`,
  ),
};

/** The name of a limit on a number of entities. */
export type CountLimitName = keyof typeof OWN_LIMITS | DeclaredNames<'counters' | 'countLimits'>;

/** Every limit on a number of entities; the manifests declare those of resources. */
export const COUNT_LIMITS: Readonly<Record<CountLimitName, CountLimit>> = {
  ...OWN_LIMITS,
  ...declared('counters'),
  ...declared('countLimits'),
};

/** Returns the maximum number of entities; 0 = no limit. */
export function countLimitOf(name: CountLimitName, environment: Environment): number {
  const limit = COUNT_LIMITS[name];
  return 'setting' in limit ? environment[limit.setting] : limit.fixed;
}

/** Returns the limit as a sentence, for responses and the documentation. */
export const countLimitMessage = (name: CountLimitName, environment: Environment): string =>
  COUNT_LIMITS[name].message(countLimitOf(name, environment));
