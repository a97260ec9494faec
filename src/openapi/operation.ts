import { applyDecorators, HttpCode, HttpStatus, type Type, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { PageLinkInterceptor } from '../http/page-link.interceptor';

/** What a reader of the OpenAPI document is told of an operation; its method, path, body and query come from Nest. */
export interface OperationOptions {
  /** A few words, as in a list of operations. */
  summary: string;
  /** What the summary leaves out: side effects, order, limits. Markdown. */
  description?: string;
  /** The body of a success; in brackets for a list. */
  returns: Type<unknown> | [Type<unknown>];
  /** A new resource is created: 201 instead of 200. */
  creates?: true;
  /** The list has pages and a `Link` header to the next. */
  paged?: true;
}

/** Documents an operation and sets its success status. The document builder adds what is true of every operation. */
export function Operation(options: OperationOptions): MethodDecorator {
  const isList = Array.isArray(options.returns);
  const model = Array.isArray(options.returns) ? options.returns[0] : options.returns;
  const status = options.creates ? HttpStatus.CREATED : HttpStatus.OK;
  const schema = { $ref: getSchemaPath(model) };
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary: options.summary, description: options.description }),
    ApiExtraModels(model),
    ...(options.paged ? [UseInterceptors(PageLinkInterceptor)] : []),
    ApiResponse({
      status,
      description: options.creates ? 'Created.' : 'Success.',
      content: { 'application/json': { schema: isList ? { type: 'array', items: schema } : schema } },
      ...(options.paged && {
        headers: {
          Link: {
            description: 'Address of the next page, as `<…>; rel="next"`; absent on the last.',
            schema: { type: 'string' },
          },
        },
      }),
    }),
  );
}
