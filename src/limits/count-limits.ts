import { type Environment } from '../config/environment';

/** Limits on numbers of entities: the setting of the limit, or a fixed limit, and the message for exceeding it. */
export const COUNT_LIMITS = {
  user: ofSetting('MAX_USERS', (most) => `A space can have at most ${most} users.`),
  /** The family's migration tools look for the first words. */
  project: ofSetting('MAX_PROJECTS', (most) => `Project limit. A space can have at most ${most} projects.`),
  apiKey: ofSetting('MAX_API_KEYS', (most) => `A user can have at most ${most} API keys.`),
  team: ofSetting('MAX_TEAMS', (most) => `A space can have at most ${most} teams.`),
  teamMember: ofSetting('MAX_TEAM_MEMBERS', (most) => `A team can have at most ${most} members.`),
  teamProject: ofSetting('MAX_TEAM_PROJECTS', (most) => `A team can be in at most ${most} projects.`),
  attachedFile: ofSetting(
    'MAX_ATTACHED_FILES',
    (most) => `At most ${most} files can be attached to one thing.`,
  ),
  unattachedFile: ofSetting(
    'MAX_UNATTACHED_FILES',
    (most) => `A user can have at most ${most} unattached files. Attach some, or wait an hour.`,
  ),
  /** The maximum value of the column of their numbers. */
  issue: { fixed: 2 ** 31 - 1, message: inProject('issues') },
  issueType: ofSetting('MAX_ISSUE_TYPES', inProject('issue types')),
  status: ofSetting('MAX_STATUSES', inProject('statuses')),
  category: ofSetting('MAX_CATEGORIES', inProject('categories')),
  version: ofSetting('MAX_VERSIONS', inProject('versions')),
  customField: ofSetting('MAX_CUSTOM_FIELDS', inProject('custom fields')),
  customFieldItem: ofSetting(
    'MAX_CUSTOM_FIELD_ITEMS',
    (most) => `A custom field can have at most ${most} items.`,
  ),
  document: ofSetting('MAX_DOCUMENTS', inProject('documents, with those in the trash')),
  documentComment: {
    fixed: 500,
    message: (most) => `A document can have at most ${most} comments, with the answers to them.`,
  },
  documentTag: { fixed: 50, message: (most) => `A document can have at most ${most} tags.` },
  wiki: ofSetting('MAX_WIKI_PAGES', inProject('wiki pages')),
  gitRepository: ofSetting('MAX_GIT_REPOSITORIES', inProject('git repositories')),
  projectTeam: ofSetting('MAX_PROJECT_TEAMS', inProject('teams')),
  sharedFile: ofSetting('MAX_SHARED_FILES', inProject('shared files and folders')),
  folderEntry: ofSetting(
    'MAX_FOLDER_ENTRIES',
    (most) => `A folder can have at most ${most} files and folders.`,
  ),
  linkedFile: ofSetting(
    'MAX_ATTACHED_FILES',
    (most) => `At most ${most} shared files can be linked to one thing.`,
  ),
  /** The number of links that are deleted together with a file. */
  fileLink: {
    fixed: 1000,
    message: (most) => `A shared file can be linked to at most ${most} issues, and as many wiki pages.`,
  },
  webhook: ofSetting('MAX_WEBHOOKS', inProject('webhooks')),
  watching: ofSetting('MAX_WATCHINGS', (most) => `A user can watch at most ${most} issues.`),
  watcher: ofSetting('MAX_WATCHERS', (most) => `At most ${most} users can watch an issue.`),
  relatedIssue: ofSetting(
    'MAX_RELATED_ISSUES',
    (most) => `An issue can have at most ${most} related issues.`,
  ),
} satisfies Record<string, CountLimit>;

/** The name of a limit on a number of entities. */
export type CountLimitName = keyof typeof COUNT_LIMITS;

type Message = (most: number) => string;
type CountLimit = { message: Message } & ({ setting: CountSetting } | { fixed: number });

/** The settings that are numbers. */
type CountSetting = {
  [Name in keyof Environment]-?: Environment[Name] extends number ? Name : never;
}[keyof Environment];

function ofSetting(setting: CountSetting, message: Message): CountLimit {
  return { setting, message };
}

function inProject(things: string): Message {
  return (most) => `A project can have at most ${most} ${things}.`;
}

/** Returns the maximum number of entities; 0 = no limit. */
export function countLimitOf(name: CountLimitName, environment: Environment): number {
  const limit: CountLimit = COUNT_LIMITS[name];
  return 'setting' in limit ? environment[limit.setting] : limit.fixed;
}

/** Returns the limit as a sentence, for responses and the documentation. */
export const countLimitMessage = (name: CountLimitName, environment: Environment): string =>
  COUNT_LIMITS[name].message(countLimitOf(name, environment));
