import * as z from 'zod';
import { flag, id, list, named, text, time } from '../wire-fields';

/**
 * The answers of the family's API, as far as an import reads them. They accept what its hosted spaces and its other servers are known to
 * answer, and nothing that would have to be guessed.
 */

/** Hosted spaces place some things last with the largest number of 32 bits, behind which nothing else could be placed. */
const LAST_ORDER = 1_000_000;

const order = z
  .int()
  .nullish()
  .transform((value) => Math.min(Math.max(value ?? 0, 0), LAST_ORDER));

export const space = z.object({ timezone: z.string().nullish(), created: time.nullish() });

export const user = z.object({
  id,
  userId: z.string().nullish(),
  name: z.string(),
  roleType: z.int().nullish(),
  lang: z.string().nullish(),
  mailAddress: z.string().nullish(),
  vendorAccount: z.object({ vendorId: z.string(), name: text, uniqueId: text }).nullish(),
  nulabAccount: z.object({ nulabId: z.string(), name: text, uniqueId: text }).nullish(),
});
export type WireUser = z.output<typeof user>;

/** The users of an answer; null for one that the source no longer knows. */
const author = user.nullish();

export const team = z.object({
  id,
  name: z.string(),
  members: list(user),
  displayOrder: order,
  createdUser: author,
  created: time.nullish(),
  updatedUser: author,
  updated: time.nullish(),
});

export const project = z.object({
  id,
  projectKey: z.string().regex(/^[A-Z][A-Z0-9_]{0,24}$/),
  name: z.string(),
  chartEnabled: flag(false),
  useResolvedForChart: flag(false),
  subtaskingEnabled: flag(false),
  grandchildIssueEnabled: flag(false),
  projectLeaderCanEditProjectLeader: flag(false),
  useWiki: flag(true),
  useDocument: flag(true),
  useFileSharing: flag(true),
  useWikiTreeView: flag(true),
  useSubversion: flag(false),
  useGit: flag(true),
  useOriginalImageSizeAtWiki: flag(false),
  useDevAttributes: flag(false),
  textFormattingRule: z.enum(['backlog', 'markdown']),
  archived: flag(false),
  displayOrder: order,
});
export type WireProject = z.output<typeof project>;

const setting = z.object({ id, name: z.string(), displayOrder: order });
export const issueType = setting.extend({
  color: z.string().max(7),
  templateSummary: z.string().nullish(),
  templateDescription: z.string().nullish(),
});
export const status = setting.extend({ color: z.string().max(7) });
export const category = setting;
export const version = setting.extend({
  description: text,
  startDate: z.string().nullish(),
  releaseDueDate: z.string().nullish(),
  archived: flag(false),
});

const item = z.object({ id, name: z.string(), displayOrder: order });
const bound = z.union([z.number(), z.string()]).nullish();
export const customField = z.object({
  id,
  typeId: z.int().min(1).max(8),
  name: z.string(),
  description: text,
  required: flag(false),
  displayOrder: order,
  version: z.int().nullish(),
  applicableIssueTypes: list(id),
  min: bound,
  max: bound,
  initialValue: z.number().nullish(),
  unit: z.string().nullish(),
  initialDate: z.object({ id: z.int(), date: z.string().nullish(), shift: z.int().nullish() }).nullish(),
  allowInput: flag(false),
  allowAddItem: flag(false),
  items: list(item),
});

export const webhook = z.object({
  id,
  name: z.string(),
  description: text,
  hookUrl: z.string(),
  allEvent: z.boolean(),
  activityTypeIds: list(z.int()),
  health: z.object({ enabled: z.boolean() }).nullish(),
  createdUser: author,
  created: time,
  updatedUser: author,
  updated: time,
});

export const file = z.object({
  id,
  name: z.string(),
  size: z.int().min(0),
  createdUser: author,
  created: time.nullish(),
});
export type WireFile = z.output<typeof file>;

const star = z.object({
  id,
  comment: text,
  title: text,
  presenter: author,
  created: time,
});
export type WireStar = z.output<typeof star>;

const notification = z.object({
  id,
  alreadyRead: flag(true),
  reason: z.int(),
  user: author,
  resourceAlreadyRead: flag(true),
});

const change = z.object({
  field: z.string(),
  newValue: text,
  originalValue: text,
  attachmentInfo: z.object({ id: id.nullish(), name: text }).nullish(),
  attributeInfo: z
    .object({ id: id.nullish(), typeId: z.union([z.string(), z.number()]).nullish() })
    .nullish(),
  notificationInfo: z.object({ type: text }).nullish(),
});

export const comment = z.object({
  id,
  content: text,
  changeLog: list(change),
  createdUser: author,
  created: time,
  updated: time.nullish(),
  stars: list(star),
  notifications: list(notification),
  agent: z.unknown().optional(),
});
export type WireComment = z.output<typeof comment>;

const customValue = z.object({
  id,
  fieldTypeId: z.int().min(1).max(8),
  name: z.string(),
  value: z.unknown().optional(),
  otherValue: z.unknown().optional(),
});
export type WireCustomValue = z.output<typeof customValue>;
export const itemValue = item;

export const sharedFile = z.object({
  id,
  type: z.enum(['file', 'directory']),
  dir: z.string(),
  name: z.string(),
  size: z.int().min(0).nullish(),
  createdUser: author,
  created: time,
  updatedUser: author,
  updated: time.nullish(),
});

export type WireSharedFile = z.output<typeof sharedFile>;

export const issue = z.object({
  id,
  issueKey: z.string(),
  keyId: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  issueType,
  summary: z.string(),
  description: text,
  resolution: z.object({ id: z.int() }).nullish(),
  priority: z.object({ id: z.int() }).nullish(),
  status,
  assignee: author,
  category: list(category),
  versions: list(version),
  milestone: list(version),
  startDate: z.string().nullish(),
  dueDate: z.string().nullish(),
  estimatedHours: z.number().nullish(),
  actualHours: z.number().nullish(),
  parentIssueId: id.nullish(),
  createdUser: author,
  created: time,
  updatedUser: author,
  updated: time,
  customFields: list(customValue),
  attachments: list(file),
  sharedFiles: list(z.object({ id })),
  stars: list(star),
});
export type WireIssue = z.output<typeof issue>;

export const relatedIssue = z.object({ id, created: time });
export type WireRelatedIssue = z.output<typeof relatedIssue>;

export const watching = z.object({
  id,
  note: text,
  resourceAlreadyRead: flag(true),
  issue: z.object({ id, projectId: id }).nullish(),
  created: time,
  updated: time,
});

export const wikiLine = z.object({ id, name: z.string(), updated: time.nullish() });
export type WireWikiLine = z.output<typeof wikiLine>;
export const wiki = wikiLine.extend({
  content: text,
  tags: list(named),
  attachments: list(file),
  sharedFiles: list(z.object({ id })),
  stars: list(star),
  createdUser: author,
  created: time,
  updatedUser: author,
  updated: time,
});
export const wikiVersion = z.object({
  version: z.int().min(1),
  name: z.string(),
  content: text,
  createdUser: author,
  created: time,
});

/** The id of a document or of a comment on one. */
const uid = z.string().regex(/^[0-9a-f]{32}$/);
const editorText = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? null)));
export const documentLine = z.object({ id: uid });
export const document = z.object({
  id: uid,
  title: z.string(),
  plain: text,
  json: editorText,
  emoji: z.string().nullish(),
  attachments: list(file),
  tags: list(named),
  createdUser: author,
  created: time,
  updatedUser: author,
  updated: time,
});
const reply = z.object({
  id: uid,
  content: editorText,
  plain: text,
  createdUser: author,
  created: time,
  updated: time.nullish(),
});
export const documentComment = reply.extend({ replies: list(reply) });

export interface WireNode {
  id: string;
  children: WireNode[];
}
const node: z.ZodType<WireNode> = z.object({
  id: uid,
  get children() {
    return list(node);
  },
});
const tree = z.object({ children: list(node) }).nullish();
export const documentTree = z.object({ activeTree: tree, trashTree: tree });

export const repository = z.object({
  id,
  name: z.string(),
  description: text,
  httpUrl: z.string(),
  displayOrder: order,
  pushedAt: time.nullish(),
  defaultBranch: z.string().nullish(),
  protectsDefaultBranch: z.boolean().nullish(),
  createdUser: author,
  created: time,
  updatedUser: author,
  updated: time.nullish(),
});

export type WireRepository = z.output<typeof repository>;

export const pullRequest = z.object({
  id,
  number: z.int().min(1),
  summary: z.string(),
  description: text,
  base: z.string(),
  branch: z.string(),
  status: z.object({ id: z.int().min(1).max(3) }),
  assignee: author,
  issue: z.object({ id }).nullish(),
  baseCommit: z.string().nullish(),
  branchCommit: z.string().nullish(),
  mergeCommit: z.string().nullish(),
  closeAt: time.nullish(),
  mergeAt: time.nullish(),
  createdUser: author,
  created: time,
  updatedUser: author,
  updated: time,
  attachments: list(file),
  stars: list(star),
});

export const activity = z.object({
  id,
  type: z.int(),
  content: z.record(z.string(), z.unknown()),
  createdUser: author,
  created: time,
});

export const count = z.object({ count: z.int().min(0) });
