import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { type RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';

/** A controller class, or the class of one of its parameters. */
export type AnyClass = abstract new (...parameters: never[]) => unknown;

/** A parameter of a handler. */
export interface HandlerParameter {
  index: number;
  /** The name of the single value that it takes, as in `@Query('count')`. */
  data?: unknown;
}

/** Returns the parameters of a controller's handler that are bound to one part of the request by their decorators. */
export function parametersFrom(
  part: RouteParamtypes,
  controller: AnyClass,
  handler: string,
): HandlerParameter[] {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Record<
    string,
    HandlerParameter
  >;
  return Object.entries(parameters)
    .filter(([key]) => key.startsWith(`${part}:`))
    .map(([, parameter]) => parameter);
}
