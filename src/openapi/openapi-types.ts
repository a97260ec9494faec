import { type OpenAPIObject } from '@nestjs/swagger';

/** Types of the parts of an OpenAPI document, which `@nestjs/swagger` exports only as a whole. */
export type PathItemObject = OpenAPIObject['paths'][string];
export type OperationObject = NonNullable<PathItemObject['get']>;
export type ParameterObject = Extract<NonNullable<OperationObject['parameters']>[number], { in: string }>;
export type ResponseObject = Extract<
  NonNullable<OperationObject['responses'][string]>,
  { description: string }
>;
export type HeadersObject = NonNullable<ResponseObject['headers']>;
export type MediaTypeObject = NonNullable<ResponseObject['content']>[string];
export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type SchemaOrReference = Schemas[string];
export type SchemaObject = Exclude<SchemaOrReference, { $ref: string }>;
