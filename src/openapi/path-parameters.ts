import { type ParameterObject } from './openapi-types';

/** A parameter of a path, and the resource that it identifies. */
export interface PathParameter extends Pick<ParameterObject, 'description' | 'schema'> {
  example: string | number;
  /** The resource that it identifies, as named in the not-found error. */
  names: string;
}

const id = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const uid = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const text = { type: 'string', minLength: 1 };

/** Describes an id parameter; `names` is the resource as named in its not-found error. */
const idParameter = (names: string): PathParameter => ({
  names,
  description: `Id of the ${names}.`,
  schema: id,
  example: 1,
});

/** Every path parameter of the service. The examples refer to the demo project. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  projectIdOrKey: {
    names: 'project',
    description: 'Id or key of the project. All digits are an id.',
    schema: text,
    example: 'DEMO',
  },
  repoIdOrName: {
    names: 'git repository',
    description: 'Id or name of the git repository. All digits are an id.',
    schema: text,
    example: 'demo',
  },
  number: { names: 'pull request', description: 'Number of the pull request.', schema: id, example: 1 },
  hash: {
    names: 'commit',
    description: 'Hash of the commit, or at least its first seven digits.',
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{7,40}$' },
    example: 'efc3b0ca3aa96af9205553a402189eccadc09aa5',
  },
  commentId: idParameter('comment'),
  issueIdOrKey: {
    names: 'issue',
    description: 'Id or key of the issue. All digits are an id.',
    schema: text,
    example: 'DEMO-1',
  },
  wikiId: idParameter('wiki page'),
  documentId: {
    names: 'document',
    description: 'Id of the document.',
    schema: uid,
    example: '019a8f2f6c0070008000000000000001',
  },
  documentCommentId: {
    names: 'document comment',
    description: 'Id of the comment on the document, or of a reply to one.',
    schema: uid,
    example: '019a8f2f6c0070008000000000000002',
  },
  webhookId: idParameter('webhook'),
  deliveryId: idParameter('delivery'),
  attachmentId: idParameter('attachment'),
  sharedFileId: idParameter('shared file'),
  path: {
    names: 'folder',
    description: 'Path of the folder; empty for the top folder. Slashes may be percent-encoded.',
    schema: { type: 'string' },
    example: 'guides',
  },
  issueTypeId: idParameter('issue type'),
  statusId: idParameter('status'),
  categoryId: idParameter('category'),
  versionId: idParameter('version'),
  customFieldId: idParameter('custom field'),
  itemId: idParameter('item'),
  userId: idParameter('user'),
  teamId: idParameter('team'),
  apiKeyId: idParameter('API key'),
  starId: idParameter('star'),
  watchingId: idParameter('watching'),
  targetIssueId: idParameter('related issue'),
  notificationId: idParameter('notification'),
  activityId: idParameter('activity'),
};
