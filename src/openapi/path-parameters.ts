import { type ParameterObject } from './openapi-types';

/** A parameter of a path, and the resource that it identifies. */
export interface PathParameter extends Pick<ParameterObject, 'description' | 'schema'> {
  /** Refers to the demo project. */
  example: string | number;
  /** The resource that it identifies, as named in the not-found error. */
  names: string;
}

/** Describes an id parameter; `names` is the resource as named in its not-found error. */
export const idParameter = (names: string): PathParameter => ({
  names,
  description: `Id of the ${names}.`,
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  example: 1,
});

/** Describes a parameter with an id of 32 hexadecimal digits. */
export const uidParameter = (names: string, description: string, example: string): PathParameter => ({
  names,
  description,
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  example,
});

/** Describes a parameter with an id or a text; `values` are both. */
export const textParameter = (names: string, values: string, example: string): PathParameter => ({
  names,
  description: `${values} of the ${names}. All digits are an id.`,
  schema: { type: 'string', minLength: 1 },
  example,
});

/** The path parameters of resources without a manifest. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  projectIdOrKey: textParameter('project', 'Id or key', 'DEMO'),
  commentId: idParameter('comment'),
  attachmentId: idParameter('attachment'),
  userId: idParameter('user'),
  apiKeyId: idParameter('API key'),
  starId: idParameter('star'),
  notificationId: idParameter('notification'),
  activityId: idParameter('activity'),
};
