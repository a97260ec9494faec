import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { fieldsOf } from './field';
import { type AnyClass, parametersFrom } from './handler-parameters';

const CHECKED = [
  [RouteParamtypes.BODY, 'body'],
  [RouteParamtypes.QUERY, 'query'],
] as const;

/**
 * Refuses to start an application with a handler whose body or query is not a class with fields: the service could not detect
 * invalid input, and would pass it to the handler unchanged.
 */
@Injectable()
export class RequestDtoCheck implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as AnyClass);
    const problems = controllers.flatMap((controller) => this.problemsOf(controller));
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  private problemsOf(controller: AnyClass): string[] {
    const prototype = controller.prototype as Record<string, object>;
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((name) => Reflect.hasMetadata(PATH_METADATA, prototype[name] as object))
      .flatMap((handler) => problemsOfHandler(controller, handler));
  }
}

function problemsOfHandler(controller: AnyClass, handler: string): string[] {
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) ?? []) as (
    | AnyClass
    | undefined
  )[];
  return CHECKED.flatMap(([part, name]) =>
    parametersFrom(part, controller, handler).flatMap(({ index, data }) => {
      const problem = data === undefined ? problemOfType(types[index], name) : `only a part of its ${name}`;
      return problem === undefined ? [] : [`${controller.name}.${handler} takes ${problem}.`];
    }),
  );
}

const problemOfType = (type: AnyClass | undefined, name: string): string | undefined =>
  type && fieldsOf(type)
    ? undefined
    : `its ${name} as ${type?.name ?? 'an unknown type'}, which declares no fields (src/http/request/fields.ts)`;
