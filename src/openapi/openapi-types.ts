import { type OpenAPIObject } from '@nestjs/swagger';

/** Parts of an OpenAPI document, which `@nestjs/swagger` exports only as a whole. */
export type PathItemObject = OpenAPIObject['paths'][string];
export type OperationObject = NonNullable<PathItemObject['get']>;
export type ParameterObject = Extract<NonNullable<OperationObject['parameters']>[number], { in: string }>;
