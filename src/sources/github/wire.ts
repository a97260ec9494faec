import * as z from 'zod';
import { flag, id, list, text, time } from '../wire-fields';

/** The answers of GitHub's REST API (version 2022-11-28), as far as an import reads them. */

/** The number of an issue or a pull request. */
const number = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
/** The address of an object ends with its number. */
const numbered = z.string().transform((address, context) => {
  const parsed = number.safeParse(Number(/\/(\d{1,10})$/.exec(address)?.[1]));
  if (parsed.success) return parsed.data;
  context.issues.push({ code: 'custom', message: 'expected an address with a number', input: address });
  return z.NEVER;
});
const hash = z.string().regex(/^[0-9a-f]{40,64}$/);

/** An account in another object; null for a deleted one. */
const account = z.object({ id, login: z.string().min(1), type: text }).nullish();
export type WireAccount = z.output<typeof account>;

/** An account with what it shows everybody. */
export const profile = z.object({
  id,
  login: z.string().min(1),
  type: text,
  name: z.string().nullish(),
  email: z.string().nullish(),
});

export const repository = z.object({
  id,
  name: z.string().min(1),
  full_name: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  owner: account,
  description: text,
  default_branch: z.string().nullish(),
  created_at: time,
  updated_at: time,
  pushed_at: time.nullish(),
  archived: flag(false),
  has_wiki: flag(false),
  has_issues: flag(true),
});
export type WireRepository = z.output<typeof repository>;

export const collaborator = z.object({
  id,
  login: z.string().min(1),
  type: text,
  permissions: z.object({ admin: flag(false) }).nullish(),
});

const named = z.object({ name: z.string().min(1) });
export const label = named.extend({ id });
/** Old issues have names of labels only. */
const anyLabel = z.union([z.string().transform((name) => ({ name })), named]);

export const milestone = z.object({
  id,
  title: z.string(),
  description: text,
  state: z.string(),
  due_on: z.string().nullish(),
});
export type WireMilestone = z.output<typeof milestone>;

const reactions = z.object({ total_count: z.int().min(0) }).nullish();

export const issue = z.object({
  id,
  number,
  title: z.string(),
  body: text,
  user: account,
  state: z.enum(['open', 'closed']),
  state_reason: z.string().nullish(),
  labels: list(anyLabel),
  assignees: list(account),
  milestone: milestone.nullish(),
  type: named.nullish(),
  parent_issue_url: z.string().nullish(),
  pull_request: z.object({ merged_at: time.nullish() }).nullish(),
  reactions,
  created_at: time,
  updated_at: time,
});
export type WireIssue = z.output<typeof issue>;

export const comment = z.object({
  id,
  body: text,
  user: account,
  issue_url: numbered,
  reactions,
  created_at: time,
  updated_at: time,
});

/** A comment on a line of a pull request. */
export const reviewComment = z.object({
  id,
  body: text,
  user: account,
  pull_request_url: numbered,
  path: text,
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  reactions,
  created_at: time,
  updated_at: time,
});

export const event = z.object({
  id,
  event: z.string(),
  actor: account,
  created_at: time,
  issue: z.object({ number }).nullish(),
  state_reason: z.string().nullish(),
  label: named.nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  rename: z.object({ from: z.string(), to: z.string() }).nullish(),
  assignee: account,
});
export type WireEvent = z.output<typeof event>;

export const pullRequest = z.object({
  id,
  number,
  title: z.string(),
  body: text,
  user: account,
  state: z.enum(['open', 'closed']),
  merged_at: time.nullish(),
  closed_at: time.nullish(),
  created_at: time,
  updated_at: time,
  merge_commit_sha: hash.nullish(),
  base: z.object({ ref: z.string(), sha: hash }),
  head: z.object({
    ref: z.string(),
    sha: hash,
    label: z.string().nullish(),
    repo: z.object({ id }).nullish(),
  }),
  assignees: list(account),
});
export type WirePullRequest = z.output<typeof pullRequest>;

export const found = z.object({ total_count: z.int().min(0) });
