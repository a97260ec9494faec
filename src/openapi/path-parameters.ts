import { type ParameterObject } from './openapi-types';

type PathParameter = Pick<ParameterObject, 'description' | 'schema' | 'example'>;

const id = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const text = { type: 'string', minLength: 1 };

/** Every parameter that a path of the service has. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  projectIdOrKey: {
    description: 'Id of the project, or its key. All digits are an id.',
    schema: text,
    example: 'DEMO',
  },
  repoIdOrName: {
    description: 'Id of the git repository, or its name. All digits are an id.',
    schema: text,
    example: 'demo',
  },
  number: { description: 'Number of the pull request.', schema: id, example: 1 },
  commentId: { description: 'Id of the comment.', schema: id, example: 1 },
  issueIdOrKey: {
    description: 'Id of the issue, or its key. All digits are an id.',
    schema: text,
    example: 'DEMO-1',
  },
  wikiId: { description: 'Id of the wiki page.', schema: id, example: 1 },
};
