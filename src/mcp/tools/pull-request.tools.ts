import * as z from 'zod';
import { type CommentDto } from '../../comments/dto/comment.dto';
import { type PullRequestDto } from '../../pull-requests/dto/pull-request.dto';
import { leanComment, leanPullRequest, wholePullRequest } from '../answers/lean';
import { partOf } from '../answers/shorten';
import { nothingIfUnavailable } from '../answers/tool-error';
import { type OperationCaller } from '../operations/operation-caller';
import { ProjectEntries } from './project-entries';
import {
  count,
  defineTool,
  issueKey,
  nameOrId,
  offset,
  pageOf,
  projectKey,
  pullRequestNumber,
  repoName,
  textOffset,
} from './tool';

const REPOSITORY = { projectKey, repoName };
const PULL_REQUEST = { ...REPOSITORY, number: pullRequestNumber };
const NEWEST_COMMENTS = 20;
const STATUSES = { open: 1, closed: 2, merged: 3 } as const;

interface Place {
  projectKey: string;
  repoName: string;
  number?: number;
}

const pathOf = ({ projectKey: key, repoName: name, number = 0 }: Place): Record<string, string | number> => ({
  projectIdOrKey: key,
  repoIdOrName: name,
  number,
});

const getPullRequests = defineTool({
  name: 'get_pull_requests',
  title: 'Find pull requests',
  description: 'Lists the pull requests of a git repository, newest first.',
  input: z.object({ ...REPOSITORY, status: z.enum(['open', 'closed', 'merged']).optional(), count, offset }),
  operations: ['listPullRequests', 'countPullRequests'],
  run: async (call, { status, count: most, offset: start, ...place }) => {
    const path = pathOf(place);
    const filter = { statusId: status && [STATUSES[status]] };
    const query = { ...filter, count: most, offset: start };
    const pulls = await call.json<PullRequestDto[]>('listPullRequests', { path, query });
    const { count: total } = await call.json<{ count: number }>('countPullRequests', { path, query: filter });
    return { items: pulls.map(leanPullRequest), ...pageOf(total, start, most) };
  },
});

const getPullRequest = defineTool({
  name: 'get_pull_request',
  title: 'Read a pull request',
  description: `Returns a pull request with its description, changed files and newest ${NEWEST_COMMENTS} comments.`,
  input: z.object({ ...PULL_REQUEST, offset: textOffset }),
  operations: ['getPullRequest', 'listPullRequestComments'],
  run: async (call, { offset: start, ...place }) => {
    const path = pathOf(place);
    const pull = await call.json<PullRequestDto>('getPullRequest', { path });
    const { text, next } = partOf(pull.description, start);
    if (start > 0) return { number: pull.number, description: text, next };
    const query = { count: NEWEST_COMMENTS, order: 'desc' };
    const comments = await call.json<CommentDto[]>('listPullRequestComments', { path, query });
    // Commits may be missing, and git too.
    const changed = await call
      .json<object[]>('listPullRequestFiles', { path, query: { count: 100 } })
      .catch(nothingIfUnavailable);
    return {
      ...wholePullRequest(pull),
      description: text,
      next,
      files: changed,
      comments: comments.toReversed().map(leanComment),
    };
  },
});

const getPullRequestDiff = defineTool({
  name: 'get_pull_request_diff',
  title: 'Read the diff of a pull request',
  description: 'Returns the changes as a unified diff.',
  input: z.object({ ...PULL_REQUEST, offset: textOffset }),
  operations: ['getPullRequestDiff'],
  run: async (call, { offset: start, ...place }) => {
    const { content } = await call.call('getPullRequestDiff', { path: pathOf(place) });
    const { text, next } = partOf(content.toString('utf8'), start);
    return { diff: text, next };
  },
});

/** The id of the issue with a key. */
const issueIdOf = async (call: OperationCaller, key: string | undefined): Promise<number | undefined> =>
  key === undefined
    ? undefined
    : (await call.json<{ id: number }>('getIssue', { path: { issueIdOrKey: key } })).id;

const addPullRequest = defineTool({
  name: 'add_pull_request',
  title: 'Add a pull request',
  description: 'Proposes to merge a branch into another, base.',
  input: z.object({
    ...REPOSITORY,
    summary: z.string(),
    description: z.string().default(''),
    base: z.string(),
    branch: z.string(),
    issueKey: issueKey.optional(),
    assignee: nameOrId.optional(),
  }),
  operations: ['addPullRequest'],
  run: async (call, { projectKey: key, repoName: name, issueKey: issue, assignee, ...rest }) => {
    const entries = new ProjectEntries(call, key);
    const body = {
      ...rest,
      issueId: await issueIdOf(call, issue),
      assigneeId: assignee === undefined ? undefined : await entries.idOf('assignee', assignee),
    };
    const path = pathOf({ projectKey: key, repoName: name });
    return wholePullRequest(await call.json<PullRequestDto>('addPullRequest', { path, body }));
  },
});

const updatePullRequest = defineTool({
  name: 'update_pull_request',
  title: 'Update, close or merge a pull request',
  description:
    'Changes the given fields. status "merged" merges the branch, "closed" closes without merging.',
  input: z.object({
    ...PULL_REQUEST,
    summary: z.string().optional(),
    description: z.string().optional(),
    status: z.enum(['open', 'closed', 'merged']).optional(),
    comment: z.string().optional(),
  }),
  operations: ['updatePullRequest'],
  isDestructive: true,
  run: async (call, { projectKey: key, repoName: name, number, status, ...rest }) => {
    const path = pathOf({ projectKey: key, repoName: name, number });
    const body = { ...rest, statusId: status && STATUSES[status] };
    return wholePullRequest(await call.json<PullRequestDto>('updatePullRequest', { path, body }));
  },
});

const addPullRequestComment = defineTool({
  name: 'add_pull_request_comment',
  title: 'Comment on a pull request',
  description: 'Adds a comment to a pull request.',
  input: z.object({ ...PULL_REQUEST, content: z.string() }),
  operations: ['addPullRequestComment'],
  run: async (call, { content, ...place }) =>
    leanComment(await call.json('addPullRequestComment', { path: pathOf(place), body: { content } })),
});

export const PULL_REQUEST_TOOLS = [
  getPullRequests,
  getPullRequest,
  getPullRequestDiff,
  addPullRequest,
  updatePullRequest,
  addPullRequestComment,
];
