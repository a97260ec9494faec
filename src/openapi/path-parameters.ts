import { type ParameterObject } from './openapi-types';

interface PathParameter extends Pick<ParameterObject, 'description' | 'schema'> {
  example: string | number;
  /** What a path names nothing of when there is no such thing. */
  names: string;
}

const id = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const text = { type: 'string', minLength: 1 };

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
  commentId: { names: 'comment', description: 'Id of the comment.', schema: id, example: 1 },
  issueIdOrKey: {
    names: 'issue',
    description: 'Id of the issue, or its key. All digits are an id.',
    schema: text,
    example: 'DEMO-1',
  },
  wikiId: { names: 'wiki page', description: 'Id of the wiki page.', schema: id, example: 1 },
  webhookId: {
    names: 'webhook',
    description: 'Id of the webhook.',
    schema: id,
    example: 1,
  },
  deliveryId: {
    names: 'delivery',
    description: 'Id of the delivery.',
    schema: id,
    example: 1,
  },
};
