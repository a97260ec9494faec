import * as z from 'zod';
import { flag, id, list, text, time } from '../wire-fields';

/** The answers of GitLab's REST API (version 4), as far as an import reads them. */

/** The number of an issue or a merge request in its project. */
const iid = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const hash = z.string().regex(/^[0-9a-f]{40,64}$/);

export const user = z.object({
  id,
  username: z.string().min(1),
  name: text,
  state: text,
  public_email: z.string().nullish(),
  bot: z.boolean().nullish(),
});
export type WireUser = z.output<typeof user>;
const author = user.nullish();

export const member = user.extend({ access_level: z.int() });
export type WireMember = z.output<typeof member>;

export const project = z.object({
  id,
  name: z.string().min(1),
  path: z.string().min(1),
  path_with_namespace: z.string().regex(/^[\w.-]+(\/[\w.-]+)+$/),
  description: text,
  default_branch: z.string().nullish(),
  created_at: time,
  last_activity_at: time.nullish(),
  archived: flag(false),
  empty_repo: flag(false),
  wiki_enabled: flag(true),
  issues_enabled: flag(true),
  merge_requests_enabled: flag(true),
  owner: author,
  creator_id: id.nullish(),
});
export type WireProject = z.output<typeof project>;

const label = z.object({ name: z.string().min(1) });
/** A label in the list of labels. */
export const labelLine = label.extend({ id });

export const milestone = z.object({
  id,
  title: z.string(),
  description: text,
  state: z.string(),
  start_date: z.string().nullish(),
  due_date: z.string().nullish(),
});
export type WireMilestone = z.output<typeof milestone>;

const seconds = z
  .int()
  .nullish()
  .transform((value) => value ?? 0);
const votes = z
  .int()
  .min(0)
  .nullish()
  .transform((value) => value ?? 0);

export const issue = z.object({
  id,
  iid,
  title: z.string(),
  description: text,
  state: z.enum(['opened', 'closed']),
  issue_type: z.string().nullish(),
  confidential: flag(false),
  labels: list(z.union([z.string().transform((name) => ({ name })), label])),
  milestone: milestone.nullish(),
  assignees: list(author),
  author,
  due_date: z.string().nullish(),
  start_date: z.string().nullish(),
  weight: z.int().nullish(),
  time_stats: z.object({ time_estimate: seconds, total_time_spent: seconds }).nullish(),
  upvotes: votes,
  downvotes: votes,
  moved_to_id: id.nullish(),
  _links: z.object({ closed_as_duplicate_of: z.string().nullish() }).nullish(),
  created_at: time,
  updated_at: time,
});
export type WireIssue = z.output<typeof issue>;

/** Another issue that an issue is linked to. */
export const link = z.object({
  id,
  iid,
  project_id: id,
  confidential: flag(false),
  link_type: text,
  link_created_at: time.nullish(),
});

export const note = z.object({
  id,
  body: text,
  author,
  system: flag(false),
  internal: flag(false),
  confidential: flag(false),
  position: z
    .object({
      new_path: z.string().nullish(),
      new_line: z.int().nullish(),
      old_path: z.string().nullish(),
      old_line: z.int().nullish(),
    })
    .nullish(),
  created_at: time,
  updated_at: time,
});
export type WireNote = z.output<typeof note>;

const event = z.object({ id, user: author, created_at: time });
export const stateEvent = event.extend({ state: z.string() });
export const labelEvent = event.extend({ action: z.string(), label: label.nullish() });
export const milestoneEvent = event.extend({
  action: z.string(),
  milestone: z.object({ title: z.string() }).nullish(),
});

export const mergeRequest = z.object({
  id,
  iid,
  title: z.string(),
  description: text,
  state: z.string(),
  author,
  assignees: list(author),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: id.nullish(),
  sha: hash.nullish(),
  merge_commit_sha: hash.nullish(),
  squash_commit_sha: hash.nullish(),
  merged_at: time.nullish(),
  closed_at: time.nullish(),
  upvotes: votes,
  downvotes: votes,
  created_at: time,
  updated_at: time,
});
export type WireMergeRequest = z.output<typeof mergeRequest>;

export const statistics = z.object({
  statistics: z.object({ counts: z.object({ all: z.int().min(0) }) }),
});

export const wikiPage = z.object({ slug: z.string() });
