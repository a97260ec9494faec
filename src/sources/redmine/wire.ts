import * as z from 'zod';
import { flag, id, list, named, text, time } from '../wire-fields';

/** The answers of Redmine's REST API, as far as an import reads them; since version 3.3, they say what is private. */

const count = z.int().min(0);
const identifier = z.string().regex(/^[a-z0-9_-]{1,100}$/);
/** Whoever an answer names: a user, a group, or the anonymous user. */
const principal = named.nullish();
const reference = z.object({ id }).nullish();
/** A calendar day; checked where it is used, because old ones may be of any form. */
const day = z.string().nullish();
const hours = z.number().nullish();

/** A page of a list. */
export interface Page<T> {
  total: number;
  elements: T[];
}

const page = <T extends z.ZodType>(name: string, element: T): z.ZodType<Page<z.output<T>>> =>
  z.object({ total_count: count, [name]: z.array(element) }).transform((value) => ({
    total: Number(value.total_count),
    elements: (value as Readonly<Record<string, unknown>>)[name] as z.output<T>[],
  }));

/** A list that is not paged. */
const whole = <T extends z.ZodType>(name: string, element: T): z.ZodType<z.output<T>[]> =>
  z
    .object({ [name]: z.array(element) })
    .transform((value) => (value as Readonly<Record<string, unknown>>)[name] as z.output<T>[]);

const user = z.object({
  id,
  login: text,
  firstname: text,
  lastname: text,
  mail: text,
  admin: flag(false),
});
export type WireUser = z.output<typeof user>;
export const users = page('users', user);
export const currentUser = z.object({ user });

export const groups = whole('groups', named);
export const group = z.object({ group: z.object({ users: list(named) }) });

const project = z.object({
  id,
  name: z.string(),
  identifier,
  description: text,
  parent: reference,
  status: z.int().nullish(),
  is_public: flag(false),
  created_on: time,
  trackers: list(named),
  issue_categories: list(named),
  enabled_modules: list(z.object({ name: z.string() })),
  issue_custom_fields: list(named),
});
export type WireProject = z.output<typeof project>;
export const projects = page('projects', project);

const membership = z.object({
  id,
  user: principal,
  group: principal,
  roles: list(z.object({ id, name: z.string(), inherited: flag(false) })),
});
export type WireMembership = z.output<typeof membership>;
export const memberships = page('memberships', membership);
export const role = z.object({ role: z.object({ permissions: list(z.string()) }) });

const version = z.object({
  id,
  project: reference,
  name: z.string(),
  description: text,
  status: text,
  due_date: day,
});
export type WireVersion = z.output<typeof version>;
export const versions = whole('versions', version);

export const statuses = whole('issue_statuses', named.extend({ is_closed: flag(false) }));
export const priorities = whole('issue_priorities', named.extend({ is_default: flag(false) }));
export const trackers = whole('trackers', named);

const possibleValue = z.object({ value: text, label: text });
const customField = z.object({
  id,
  name: z.string(),
  description: text,
  customized_type: text,
  field_format: z.string(),
  is_required: flag(false),
  multiple: flag(false),
  visible: flag(true),
  possible_values: list(possibleValue),
  trackers: list(named),
});
export type WireCustomField = z.output<typeof customField>;
export const customFields = whole('custom_fields', customField);

/** A value of a custom field; several ones of a field that has many. */
const customValue = z.object({
  id,
  name: z.string(),
  multiple: flag(false),
  value: z
    .union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))])
    .nullish()
    .transform((value) => (Array.isArray(value) ? value : value == null ? [] : [value]).map(String)),
});
export type WireCustomValue = z.output<typeof customValue>;

const attachment = z.object({
  id,
  filename: z.string(),
  filesize: count,
  description: text,
  author: principal,
  created_on: time,
});
export type WireAttachment = z.output<typeof attachment>;

const issueLine = z.object({
  id: id.max(2 ** 31 - 1),
  project: z.object({ id }),
  is_private: z.boolean(),
  parent: reference,
  updated_on: time.nullish(),
});
export type WireIssueLine = z.output<typeof issueLine>;
export const issues = page('issues', issueLine);

const detail = z.object({
  property: z.string(),
  name: z.string(),
  old_value: text,
  new_value: text,
});
export type WireDetail = z.output<typeof detail>;
const journal = z.object({
  id,
  user: principal,
  notes: text,
  created_on: time,
  updated_on: time.nullish(),
  private_notes: z.boolean(),
  details: list(detail),
});
export type WireJournal = z.output<typeof journal>;
const relation = z.object({ issue_id: id, issue_to_id: id, relation_type: text });

const issue = issueLine.extend({
  tracker: named,
  status: named,
  priority: named.nullish(),
  author: principal,
  assigned_to: principal,
  category: named.nullish(),
  fixed_version: named.nullish(),
  subject: z.string(),
  description: text,
  start_date: day,
  due_date: day,
  done_ratio: z.number().nullish(),
  estimated_hours: hours,
  spent_hours: hours,
  created_on: time,
  updated_on: time,
  custom_fields: list(customValue),
  attachments: list(attachment),
  relations: list(relation),
  journals: list(journal),
  watchers: list(named),
});
export type WireIssue = z.output<typeof issue>;
export const oneIssue = z.object({ issue });

const title = z.string().min(1).max(255);
const pageParent = z.object({ title }).nullish();
export const wikiPages = whole(
  'wiki_pages',
  z.object({
    title,
    version: z.int().min(1),
    parent: pageParent,
    created_on: time.nullish(),
    updated_on: time.nullish(),
  }),
);
export type WireWikiLine = z.output<typeof wikiPages>[number];
const wikiPage = z.object({
  title,
  text,
  version: z.int().min(1),
  author: principal,
  comments: text,
  created_on: time,
  updated_on: time,
  attachments: list(attachment),
});
export type WireWikiPage = z.output<typeof wikiPage>;
export const oneWikiPage = z.object({ wiki_page: wikiPage });

/** Lists of which only the length is needed. */
export const timeEntries = page('time_entries', z.object({ id }));
export const news = page('news', z.object({ id }));
export const files = whole('files', z.object({ id }));
