import * as z from 'zod';
import { type CommentDto } from '../../comments/dto/comment.dto';
import { type IssueDto } from '../../issues/dto/issue.dto';
import { LEAN_ISSUE_FIELDS, leanComment, leanIssue, wholeIssue } from '../answers/lean';
import { partOf } from '../answers/shorten';
import { ToolError } from '../answers/tool-error';
import { type OperationCaller } from '../operations/operation-caller';
import { ProjectEntries, projectIdOf } from './project-entries';
import { count, defineTool, files, issueKey, nameOrId, offset, pageOf, projectKey, textOffset } from './tool';
import { uploadAll } from './uploads';

const day = z.string().describe('YYYY-MM-DD');
const NEWEST_COMMENTS = 10;
const CLOSED = 4;

/** The fields of an issue that can be set. */
const FIELDS = {
  summary: z.string(),
  description: z.string(),
  issueType: nameOrId,
  priority: nameOrId,
  assignee: nameOrId.nullable().describe('Name, userId, id or me; null for nobody'),
  category: z.array(nameOrId).max(100),
  milestone: z.array(nameOrId).max(100),
  version: z.array(nameOrId).max(100),
  startDate: day.nullable(),
  dueDate: day.nullable(),
  estimatedHours: z.number().nullable(),
  actualHours: z.number().nullable(),
  files,
};

type Fields = z.infer<z.ZodObject<{ [Name in keyof typeof FIELDS]: z.ZodOptional<(typeof FIELDS)[Name]> }>>;

/** Returns the body of an operation that sets these fields. */
async function bodyOf(call: OperationCaller, entries: ProjectEntries, fields: Fields): Promise<object> {
  const { issueType, priority, assignee, category, milestone, version, files: given, ...rest } = fields;
  const body = {
    ...rest,
    issueTypeId: issueType === undefined ? undefined : await entries.idOf('issueType', issueType),
    priorityId: priority === undefined ? undefined : await entries.idOf('priority', priority),
    assigneeId: assignee == null ? assignee : await entries.idOf('assignee', assignee),
    categoryId: await entries.idsOf('category', category),
    milestoneId: await entries.idsOf('milestone', milestone),
    versionId: await entries.idsOf('version', version),
  };
  // Last, so that a wrong name leaves no files behind.
  const attachmentId = await uploadAll(call, given);
  return attachmentId.length === 0 ? body : { ...body, attachmentId };
}

const projectOf = (key: string): string => key.replace(/-\d+$/, '');

const getIssues = defineTool({
  name: 'get_issues',
  title: 'Find issues',
  description: 'Lists issues, by default the newest. Names of statuses, types and people need projectKey.',
  input: z.object({
    projectKey: projectKey.optional(),
    keyword: z.string().optional().describe('Words in summary, description or comments'),
    status: z
      .array(nameOrId)
      .max(100)
      .optional()
      .describe('Names or ids; "open": all but Closed (without projectKey, only the common ones)'),
    issueType: nameOrId.optional(),
    assignee: nameOrId.optional().describe('Name, userId, id or me'),
    milestone: nameOrId.optional(),
    updatedSince: day.optional(),
    dueDateUntil: day.optional(),
    sort: z.enum(['created', 'updated', 'dueDate', 'priority', 'status']).default('updated'),
    order: z.enum(['asc', 'desc']).default('desc'),
    count,
    offset,
  }),
  operations: ['listIssues', 'countIssues'],
  run: async (call, { projectKey: key, status, issueType, assignee, milestone, ...rest }) => {
    const entries = new ProjectEntries(call, key ?? '');
    const projectId = key === undefined ? undefined : await projectIdOf(call, key);
    const needsProject = [issueType, milestone, assignee === 'me' ? 0 : assignee, ...(status ?? [])].some(
      (one) => typeof one === 'string' && one !== 'open' && !/^\d+$/.test(one),
    );
    if (needsProject && projectId === undefined)
      throw new ToolError('projectKey is required for names; or give ids.');
    const idOf = async (field: 'issueType' | 'milestone' | 'assignee', wanted?: string | number) =>
      wanted === undefined ? undefined : [await entries.idOf(field, wanted)];
    const filter = {
      keyword: rest.keyword,
      projectId: projectId === undefined ? undefined : [projectId],
      statusId: status?.includes('open')
        ? await openStatuses(call, key)
        : await entries.idsOf('status', status),
      issueTypeId: await idOf('issueType', issueType),
      milestoneId: await idOf('milestone', milestone),
      assigneeId: await idOf('assignee', assignee),
      updatedSince: rest.updatedSince,
      dueDateUntil: rest.dueDateUntil,
    };
    const page = {
      fields: LEAN_ISSUE_FIELDS,
      sort: rest.sort,
      order: rest.order,
      count: rest.count,
      offset: rest.offset,
    };
    const issues = await call.json<IssueDto[]>('listIssues', { query: { ...filter, ...page } });
    const { count: total } = await call.json<{ count: number }>('countIssues', { query: filter });
    return { items: issues.map(leanIssue), ...pageOf(total, rest.offset, rest.count) };
  },
});

/** Returns the ids of the statuses that do not close an issue: those of a project, or the ones that all projects have. */
async function openStatuses(call: OperationCaller, key: string | undefined): Promise<number[]> {
  if (key === undefined) return [1, 2, 3];
  const statuses = await call.json<{ id: number }[]>('listStatuses', { path: { projectIdOrKey: key } });
  return statuses.map(({ id }) => id).filter((id) => id !== CLOSED);
}

const getIssue = defineTool({
  name: 'get_issue',
  title: 'Read an issue',
  description: `Returns an issue with its description and its newest ${NEWEST_COMMENTS} comments.`,
  input: z.object({ issueKey, offset: textOffset }),
  operations: ['getIssue', 'listIssueComments'],
  run: async (call, input) => {
    const path = { issueIdOrKey: input.issueKey };
    const query = { count: NEWEST_COMMENTS, order: 'desc' };
    const [issue, comments] = await Promise.all([
      call.json<IssueDto>('getIssue', { path }),
      input.offset > 0 ? [] : call.json<CommentDto[]>('listIssueComments', { path, query }),
    ]);
    const { text, next } = partOf(issue.description, input.offset);
    if (input.offset > 0) return { issueKey: issue.issueKey, description: text, next };
    return {
      ...wholeIssue(issue),
      description: text,
      next,
      comments: comments.toReversed().map(leanComment),
    };
  },
});

const getIssueComments = defineTool({
  name: 'get_issue_comments',
  title: 'Read the comments on an issue',
  description: 'Lists comments and changes, newest first by default.',
  input: z.object({
    issueKey,
    maxId: z.int().min(1).optional().describe('Only comments with this id or a smaller one'),
    minId: z.int().min(1).optional(),
    order: z.enum(['asc', 'desc']).default('desc'),
    count,
  }),
  operations: ['listIssueComments', 'countIssueComments'],
  run: async (call, { issueKey: key, ...query }) => {
    const path = { issueIdOrKey: key };
    const comments = await call.json<CommentDto[]>('listIssueComments', { path, query });
    const { count: total } = await call.json<{ count: number }>('countIssueComments', { path });
    const last = comments.at(-1);
    const bound = query.order === 'desc' ? `maxId=${(last?.id ?? 1) - 1}` : `minId=${(last?.id ?? 0) + 1}`;
    const isFull = comments.length === query.count && comments.length < total;
    return { items: comments.map(leanComment), total, next: isFull ? `Continue with ${bound}.` : undefined };
  },
});

const addIssue = defineTool({
  name: 'add_issue',
  title: 'Add an issue',
  description: 'Adds an issue. get_project shows the valid types, categories, milestones and people.',
  input: z.object({
    projectKey,
    ...z.object(FIELDS).partial().shape,
    summary: FIELDS.summary,
    issueType: FIELDS.issueType,
    priority: FIELDS.priority.default('Normal'),
    parentIssueId: z.int().optional(),
  }),
  operations: ['getProject', 'addIssue'],
  run: async (call, { projectKey: key, parentIssueId, ...fields }) => {
    const projectId = await projectIdOf(call, key);
    const body = await bodyOf(call, new ProjectEntries(call, key), fields);
    const added = await call.json<IssueDto>('addIssue', { body: { ...body, projectId, parentIssueId } });
    return wholeIssue(added);
  },
});

const updateIssue = defineTool({
  name: 'update_issue',
  title: 'Update an issue',
  description: 'Changes the given fields of an issue, with an optional comment. Lists replace the old ones.',
  input: z.object({
    issueKey,
    ...z.object(FIELDS).partial().shape,
    status: nameOrId.optional(),
    resolution: nameOrId.nullable().optional(),
    comment: z.string().optional(),
  }),
  operations: ['updateIssue'],
  run: async (call, { issueKey: key, status, resolution, comment, ...fields }) => {
    const path = { issueIdOrKey: key };
    // An id does not tell the project.
    const known = /^\d+$/.test(key) ? (await call.json<IssueDto>('getIssue', { path })).issueKey : key;
    const entries = new ProjectEntries(call, projectOf(known));
    const statusId = status === undefined ? undefined : await entries.idOf('status', status);
    const resolutionId = resolution == null ? resolution : await entries.idOf('resolution', resolution);
    const body = { ...(await bodyOf(call, entries, fields)), comment, statusId, resolutionId };
    return wholeIssue(await call.json<IssueDto>('updateIssue', { path, body }));
  },
});

const addIssueComment = defineTool({
  name: 'add_issue_comment',
  title: 'Comment on an issue',
  description: 'Adds a comment. <@U12> mentions the user with the id 12, who is notified.',
  input: z.object({ issueKey, content: z.string(), files: files.optional() }),
  operations: ['addIssueComment'],
  run: async (call, { issueKey: key, content, files: given }) => {
    const body = { content, attachmentId: await uploadAll(call, given) };
    return leanComment(await call.json('addIssueComment', { path: { issueIdOrKey: key }, body }));
  },
});

export const ISSUE_TOOLS = [getIssues, getIssue, getIssueComments, addIssue, updateIssue, addIssueComment];
