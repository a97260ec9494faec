import { applyDecorators, HttpCode, HttpStatus, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  type ApiResponseOptions,
  getSchemaPath,
} from '@nestjs/swagger';
import { ACCESS_RULE } from '../access/access';
import { InvalidRequestError } from '../errors/domain-errors';
import { fieldsOf } from '../http/request/field';
import { bindRequest } from '../http/request/request-dto.pipe';

/** The documentation of an operation beyond its method, path, body and query, which come from Nest. */
export interface OperationOptions {
  /** A few words, as in a list of operations. */
  summary: string;
  /** Whatever the summary leaves out, such as side effects, order and limits; Markdown. */
  description?: string;
  /** The body of a success; in brackets for a list. `nothing` is 204, and a `file` is a `FileAnswer`. */
  returns: Type<unknown> | [Type<unknown>] | 'nothing' | 'file';
  /** A new resource is created: 201 instead of 200. It is `located` when the handler gives a `Created`. */
  creates?: true | 'located';
  /** The list has pages and a `Link` header to the next. */
  paged?: true;
  /** The count limits that the operation can exceed, each as the message of its error. */
  countLimit?: string | readonly string[];
  /** Examples of fields whose usual ones do not suit this operation. */
  example?: Record<string, unknown>;
  /** Examples of path parameters whose usual ones do not suit this operation. */
  pathExamples?: Record<string, string | number>;
}

/** What an operation leaves for the document builder, which removes it from the result. */
export interface OperationNotes extends Pick<OperationOptions, 'countLimit' | 'pathExamples' | 'example'> {
  /** The error of a request with an empty body; undefined when such a request is valid. */
  incomplete?: InvalidRequestError;
  /** Query parameters that name a resource. */
  namingParameters?: readonly string[];
}

export const NOTES = 'x-notes';

/**
 * Documents an operation and sets its success status; the document builder adds what all operations have in common. Must stand
 * above `@Access()`, whose rule it reads.
 */
export function Operation(options: OperationOptions): MethodDecorator {
  const { summary, description, countLimit, pathExamples, example } = options;
  const { status, ...answer } = successOf(options);
  const decorate = applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, description }),
    ApiExtraModels(...modelsOf(options.returns)),
    ApiResponse({ status, ...answer }),
  );
  return (target, key, descriptor) => {
    const incomplete = incompleteRequest(target, key);
    const namingParameters = parametersThatName(descriptor.value as object);
    const notes: OperationNotes = { countLimit, pathExamples, example, incomplete, namingParameters };
    decorate(target, key, descriptor);
    ApiExtension(NOTES, notes)(target, key, descriptor);
  };
}

type Success = ApiResponseOptions & { status: HttpStatus };

function successOf({ returns, creates, paged }: OperationOptions): Success {
  if (returns === 'nothing') return { status: HttpStatus.NO_CONTENT, description: 'Done.' };
  if (returns === 'file') return FILE;
  const [model] = modelsOf(returns);
  const schema = { $ref: getSchemaPath(model as Type<unknown>) };
  return {
    status: creates ? HttpStatus.CREATED : HttpStatus.OK,
    description: creates ? 'Created.' : 'Success.',
    content: {
      'application/json': { schema: Array.isArray(returns) ? { type: 'array', items: schema } : schema },
    },
    ...(paged && { headers: { Link: LINK } }),
    ...(creates === 'located' && { headers: { Location: LOCATION } }),
  };
}

const LINK = {
  description: 'Address of the next page, as `<…>; rel="next"`; absent on the last.',
  schema: { type: 'string' },
} as const;

const LOCATION = {
  description: 'Address at which people look at what has been added.',
  required: true,
  schema: { type: 'string', format: 'uri' },
} as const;

const FILE: Success = {
  status: HttpStatus.OK,
  description: 'The bytes of the file.',
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  headers: {
    'Content-Disposition': {
      description: "`attachment; filename*=UTF-8''` and the percent-encoded name.",
      required: true,
      schema: { type: 'string' },
    },
  },
};

function modelsOf(returns: OperationOptions['returns']): Type<unknown>[] {
  if (typeof returns === 'string') return [];
  return Array.isArray(returns) ? returns : [returns];
}

const parametersThatName = (handler: object): readonly string[] | undefined =>
  (Reflect.getMetadata(ACCESS_RULE, handler) as { fromQuery?: readonly string[] } | undefined)?.fromQuery;

/** The error of an empty request, by the rules of the handler's DTO. */
function incompleteRequest(target: object, key: string | symbol): InvalidRequestError | undefined {
  const types = (Reflect.getMetadata('design:paramtypes', target, key) ?? []) as (new () => object)[];
  const dto = types.find((type) => fieldsOf(type));
  if (!dto) return undefined;
  try {
    bindRequest(dto, {});
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
}
