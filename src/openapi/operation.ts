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
import { type ConflictError, InvalidRequestError } from '../errors/domain-errors';
import { fieldsOf } from '../http/request/field';
import { namedValuesOf, type NamedValuesOptions } from '../http/request/named-values';
import { takesFiltersInBody } from '../http/request/filters-in-body';
import { bindRequest } from '../http/request/request-dto.pipe';
import { refusesUnknownParameters } from '../http/request/unknown-names';
import { type CountLimitName } from '../limits/count-limits';

/** The documentation of an operation beyond its method, path, body and query, which Nest provides. */
export interface OperationOptions {
  /** A few words, for a list of operations. */
  summary: string;
  /** Anything not in the summary, such as side effects, order and limits; Markdown. */
  description?: string;
  /** The body of a success; in brackets for a list. `nothing` is 204, a `file` a `FileAnswer`, an `image` is displayed, `text` is plain. */
  returns: Type<unknown> | [Type<unknown>] | 'nothing' | 'file' | 'image' | 'text';
  /** Creates a resource: 201 instead of 200. `located` when the handler returns a `Created`. */
  creates?: true | 'located';
  /** The count limits that the operation can exceed. */
  countLimit?: CountLimitName | readonly CountLimitName[];
  /** The errors of valid requests that conflict with the current state. */
  conflicts?: readonly ConflictError[];
  /** Replaces the usual examples of fields where they do not suit this operation. */
  example?: Record<string, unknown>;
  /** Replaces the usual examples of path parameters where they do not suit this operation. */
  pathExamples?: Record<string, string | number>;
}

/** Notes for the document builder, which removes them from the result. */
export interface OperationNotes extends Pick<
  OperationOptions,
  'countLimit' | 'conflicts' | 'pathExamples' | 'example'
> {
  /** Returns the error of an empty request; undefined when such a request is valid. Called late, because it takes a part of the start. */
  incomplete?: () => InvalidRequestError | undefined;
  /** A read that nevertheless refuses unknown query parameters. */
  refusesUnknownParameters?: boolean;
  /** The query may come in a form body. */
  filtersInBody?: boolean;
  /** Fields or parameters whose names follow a pattern. */
  namedValues?: NamedValuesOptions;
  /** Query parameters that identify a resource. */
  namingParameters?: readonly string[];
}

export const NOTES = 'x-notes';

/**
 * Documents an operation and sets its success status; the document builder adds the parts common to all operations. Must be
 * placed above `@Access()`, because it reads its rule.
 */
export function Operation(options: OperationOptions): MethodDecorator {
  const { summary, description, countLimit, conflicts, pathExamples, example } = options;
  return (target, key, descriptor) => {
    const dto = requestDto(target, key);
    const { status, ...answer } = successOf(options, dto);
    const decorate = applyDecorators(
      HttpCode(status),
      ApiOperation({ summary, description }),
      ApiExtraModels(...modelsOf(options.returns)),
      ApiResponse({ status, ...answer }),
    );
    const notes: OperationNotes = {
      countLimit,
      conflicts,
      pathExamples,
      example,
      incomplete: dto && (() => incompleteRequest(dto)),
      refusesUnknownParameters: dto && refusesUnknownParameters(dto),
      filtersInBody: takesFiltersInBody(descriptor.value as object),
      namedValues: dto && namedValuesOf(dto),
      namingParameters: parametersThatName(descriptor.value as object),
    };
    decorate(target, key, descriptor);
    ApiExtension(NOTES, notes)(target, key, descriptor);
  };
}

type Success = ApiResponseOptions & { status: HttpStatus };

/** Describes the success. A list whose request has a `count` is paged. */
function successOf({ returns, creates }: OperationOptions, dto: DtoClass | undefined): Success {
  if (returns === 'nothing') return { status: HttpStatus.NO_CONTENT, description: 'Done.' };
  if (returns === 'file') return FILE;
  if (returns === 'image') return IMAGE;
  if (returns === 'text') return TEXT;
  const [model] = modelsOf(returns);
  const schema = { $ref: getSchemaPath(model as Type<unknown>) };
  return {
    status: creates ? HttpStatus.CREATED : HttpStatus.OK,
    description: creates ? 'Created.' : 'Success.',
    content: {
      'application/json': { schema: Array.isArray(returns) ? { type: 'array', items: schema } : schema },
    },
    ...(Array.isArray(returns) && dto && fieldsOf(dto)?.has('count') && { headers: { Link: LINK } }),
    ...(creates === 'located' && { headers: { Location: LOCATION } }),
  };
}

const LINK = {
  description: 'URL of the next page, as `<…>; rel="next"`; absent on the last page.',
  schema: { type: 'string' },
} as const;

const LOCATION = {
  description: 'URL at which users can view the added resource.',
  required: true,
  schema: { type: 'string', format: 'uri' },
} as const;

const FILE: Success = {
  status: HttpStatus.OK,
  description:
    'The content of the file, with the media type implied by its name; markup and scripts are sent as `text/plain`.',
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  headers: {
    'Content-Disposition': {
      description: "`attachment; filename*=UTF-8''` and the percent-encoded name.",
      required: true,
      schema: { type: 'string' },
    },
  },
};

const IMAGE: Success = {
  status: HttpStatus.OK,
  description: 'The image: PNG, JPEG, WebP or GIF as uploaded, or SVG if generated.',
  content: Object.fromEntries(
    ['image/gif', 'image/jpeg', 'image/png', 'image/svg+xml', 'image/webp'].map((type) => [
      type,
      { schema: { type: 'string', format: 'binary' } },
    ]),
  ),
  headers: {
    'Content-Disposition': {
      description: "`inline; filename*=UTF-8''` and a name, such as `icon.png`.",
      required: true,
      schema: { type: 'string' },
    },
  },
};

const TEXT: Success = {
  status: HttpStatus.OK,
  description: 'The text.',
  content: { 'text/plain': { schema: { type: 'string', example: 'diff --git a/start.txt b/start.txt\n' } } },
  headers: FILE.headers,
};

function modelsOf(returns: OperationOptions['returns']): Type<unknown>[] {
  if (typeof returns === 'string') return [];
  return Array.isArray(returns) ? returns : [returns];
}

const parametersThatName = (handler: object): readonly string[] | undefined =>
  (Reflect.getMetadata(ACCESS_RULE, handler) as { fromQuery?: readonly string[] } | undefined)?.fromQuery;

type DtoClass = new () => object;

/** Returns the class of the handler's body or query. */
function requestDto(target: object, key: string | symbol): DtoClass | undefined {
  const types = (Reflect.getMetadata('design:paramtypes', target, key) ?? []) as DtoClass[];
  return types.find((type) => fieldsOf(type));
}

/** Returns the error of an empty request, according to the handler's DTO. */
function incompleteRequest(dto: DtoClass): InvalidRequestError | undefined {
  try {
    bindRequest(dto, {});
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
}
