import { type Environment } from '../config/environment';

/** Limits on numbers of entities: the setting of the limit, or a fixed limit, and the message for exceeding it. */
export const COUNT_LIMITS = {
  user: fromSetting('MAX_USERS', (most) => `A space can have at most ${most} users.`),
  /** The family's migration tools look for the first words. */
  project: fromSetting('MAX_PROJECTS', (most) => `Project limit. A space can have at most ${most} projects.`),
  apiKey: fromSetting('MAX_API_KEYS', (most) => `A user can have at most ${most} API keys.`),
  team: fromSetting('MAX_TEAMS', (most) => `A space can have at most ${most} teams.`),
  teamMember: fromSetting('MAX_TEAM_MEMBERS', (most) => `A team can have at most ${most} members.`),
  teamProject: fromSetting('MAX_TEAM_PROJECTS', (most) => `A team can be in at most ${most} projects.`),
  attachedFile: fromSetting(
    'MAX_ATTACHED_FILES',
    (most) => `At most ${most} files can be attached to one object.`,
  ),
  unattachedFile: fromSetting(
    'MAX_UNATTACHED_FILES',
    (most) => `A user can have at most ${most} unattached files. Attach some, or wait an hour.`,
  ),
  /** The maximum value of the column of their numbers. */
  issue: { fixed: 2 ** 31 - 1, message: projectLimitMessage('issues') },
  issueType: fromSetting('MAX_ISSUE_TYPES', projectLimitMessage('issue types')),
  status: fromSetting('MAX_STATUSES', projectLimitMessage('statuses')),
  category: fromSetting('MAX_CATEGORIES', projectLimitMessage('categories')),
  version: fromSetting('MAX_VERSIONS', projectLimitMessage('versions')),
  customField: fromSetting('MAX_CUSTOM_FIELDS', projectLimitMessage('custom fields')),
  customFieldItem: fromSetting(
    'MAX_CUSTOM_FIELD_ITEMS',
    (most) => `A custom field can have at most ${most} items.`,
  ),
  document: fromSetting('MAX_DOCUMENTS', projectLimitMessage('documents, including those in the trash')),
  documentComment: {
    fixed: 500,
    message: (most) => `A document can have at most ${most} comments, including replies.`,
  },
  documentTag: { fixed: 50, message: (most) => `A document can have at most ${most} tags.` },
  wiki: fromSetting('MAX_WIKI_PAGES', projectLimitMessage('wiki pages')),
  gitRepository: fromSetting('MAX_GIT_REPOSITORIES', projectLimitMessage('git repositories')),
  projectTeam: fromSetting('MAX_PROJECT_TEAMS', projectLimitMessage('teams')),
  sharedFile: fromSetting('MAX_SHARED_FILES', projectLimitMessage('shared files and folders')),
  folderEntry: fromSetting(
    'MAX_FOLDER_ENTRIES',
    (most) => `A folder can have at most ${most} files and folders.`,
  ),
  linkedFile: fromSetting(
    'MAX_ATTACHED_FILES',
    (most) => `At most ${most} shared files can be linked to one object.`,
  ),
  /** The number of links that are deleted together with a file. */
  fileLink: {
    fixed: 1000,
    message: (most) => `A shared file can be linked to at most ${most} issues, and as many wiki pages.`,
  },
  webhook: fromSetting('MAX_WEBHOOKS', projectLimitMessage('webhooks')),
  watching: fromSetting('MAX_WATCHINGS', (most) => `A user can watch at most ${most} issues.`),
  watcher: fromSetting('MAX_WATCHERS', (most) => `At most ${most} users can watch an issue.`),
  relatedIssue: fromSetting(
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

function fromSetting(setting: CountSetting, message: Message): CountLimit {
  return { setting, message };
}

function projectLimitMessage(things: string): Message {
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
