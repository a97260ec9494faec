import { type ParameterObject } from './openapi-types';

/** A parameter of a path, and the resource that it identifies. */
export interface PathParameter extends Pick<ParameterObject, 'description' | 'schema'> {
  example: string | number;
  /** The resource that it identifies, as the not-found error calls it. */
  names: string;
}

const id = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const text = { type: 'string', minLength: 1 };

/** An id; `names` is the resource as its not-found error calls it. */
const idParameter = (names: string): PathParameter => ({
  names,
  description: `Id of the ${names}.`,
  schema: id,
  example: 1,
});

/** Every parameter that a path of the service has. The examples are of the demo project. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  projectIdOrKey: {
    names: 'project',
    description: 'Id of the project, or its key. All digits are an id.',
    schema: text,
    example: 'DEMO',
  },
  repoIdOrName: {
    names: 'git repository',
    description: 'Id of the git repository, or its name. All digits are an id.',
    schema: text,
    example: 'demo',
  },
  number: { names: 'pull request', description: 'Number of the pull request.', schema: id, example: 1 },
  commentId: idParameter('comment'),
  issueIdOrKey: {
    names: 'issue',
    description: 'Id of the issue, or its key. All digits are an id.',
    schema: text,
    example: 'DEMO-1',
  },
  wikiId: idParameter('wiki page'),
  webhookId: idParameter('webhook'),
  deliveryId: idParameter('delivery'),
  attachmentId: idParameter('attachment'),
  issueTypeId: idParameter('issue type'),
  statusId: idParameter('status'),
  categoryId: idParameter('category'),
  versionId: idParameter('version'),
  userId: idParameter('user'),
  apiKeyId: idParameter('API key'),
  starId: idParameter('star'),
  notificationId: idParameter('notification'),
  activityId: idParameter('activity'),
};
