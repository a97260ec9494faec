import { NotificationReason } from '../notifications/notification-reason';

/** What a letter is about. The module that knows how registers with `LetterKindsService`. */
export enum LetterKind {
  /** A notification, by its id. */
  Notification = 1,
  /** The notifications of a day. */
  Digest = 2,
  /** A change of the means by which a user signs in. */
  Security = 3,
  Invitation = 4,
  /** A link to set a password, for a login name or a mail address that somebody has entered. */
  ForgottenPassword = 5,
  Wiki = 6,
}

/** Kinds that are sent before a backlog of others, and also to an address that is paused: somebody waits for them. */
export const URGENT_KINDS: readonly LetterKind[] = [
  LetterKind.Security,
  LetterKind.Invitation,
  LetterKind.ForgottenPassword,
];

/** When a user gets letters about notifications. */
export enum MailMode {
  None = 0,
  Each = 1,
  /** Once a day. */
  Digest = 2,
}

/** The modes, by their names in the API. */
export const MAIL_MODES = { none: MailMode.None, each: MailMode.Each, digest: MailMode.Digest } as const;
export type MailModeName = keyof typeof MAIL_MODES;
export const MAIL_MODE_NAMES = Object.keys(MAIL_MODES) as MailModeName[];

/** Returns the name of a mode in the API. */
export const mailModeName = (mode: MailMode): MailModeName =>
  MAIL_MODE_NAMES.find((name) => MAIL_MODES[name] === mode) as MailModeName;

/** The mode of users who have chosen none. */
export const DEFAULT_MODE = MailMode.Each;

/** What users can switch off, in the order of the bits with which it is stored. */
export const MAIL_TOPICS = [
  'assigned',
  'commented',
  'mentioned',
  'added',
  'updated',
  'projects',
  'wikis',
  'other',
] as const;
export type MailTopic = (typeof MAIL_TOPICS)[number];

const TOPICS: Readonly<Record<NotificationReason, MailTopic>> = {
  [NotificationReason.Assigned]: 'assigned',
  [NotificationReason.IssueCommented]: 'commented',
  [NotificationReason.IssueCreated]: 'added',
  [NotificationReason.IssueUpdated]: 'updated',
  [NotificationReason.FileAttached]: 'updated',
  [NotificationReason.ProjectUserAdded]: 'projects',
  [NotificationReason.Other]: 'other',
  [NotificationReason.PullRequestAssigned]: 'assigned',
  [NotificationReason.PullRequestCommented]: 'commented',
  [NotificationReason.PullRequestAdded]: 'added',
  [NotificationReason.PullRequestUpdated]: 'updated',
  [NotificationReason.DocumentCommented]: 'commented',
  [NotificationReason.DocumentCommentReplied]: 'commented',
  [NotificationReason.MentionedInDocument]: 'mentioned',
};

/** Returns the topic of notifications with a reason. */
export const topicOf = (reason: NotificationReason): MailTopic => TOPICS[reason];

/** Returns the bits of topics. */
export const bitsOf = (topics: readonly MailTopic[]): number =>
  topics.reduce((bits, topic) => bits | (1 << MAIL_TOPICS.indexOf(topic)), 0);

/** Returns the topics of bits. */
export const topicsOf = (bits: number): MailTopic[] =>
  MAIL_TOPICS.filter((topic) => (bits & bitsOf([topic])) !== 0);
