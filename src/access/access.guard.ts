import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { AuthenticationError, UnauthorizedOperationError } from '../errors/domain-errors';
import { apiKeyOf } from '../http/credentials';
import { queryOf } from '../http/request-reader.guard';
import { ApiKeysService } from '../users/api-keys.service';
import {
  ACCESS_RULE,
  type AccessRule,
  type AccessSubject,
  type AuthorizedRequest,
  type PathParameters,
  PUBLIC,
  type ResourceResolver,
} from './access';
import { type Caller } from '../users/caller';
import { RoleType } from '../users/role-type';

/** What is known of a handler once it has been called. */
interface GuardedRoute {
  rule: AccessRule | typeof PUBLIC | undefined;
  resolver: ResourceResolver | undefined;
}

/**
 * Lets a request through to its handler in the order of decisions, section 2: 401 without a valid credential, 404 for
 * what the caller may not see, 403 for what the caller may not do. A route without a rule is refused.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly routes = new WeakMap<object, GuardedRoute>();

  constructor(
    private readonly reflector: Reflector,
    private readonly moduleRef: ModuleRef,
    private readonly apiKeys: ApiKeysService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { rule, resolver } = this.routeOf(context);
    if (rule === PUBLIC) return true;
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    await this.admit(request, rule, resolver);
    // A client can take minutes over a body, and may have lost its rights since. The usual one comes with the head.
    if (!request.complete) request.onBodyRead = () => this.admit(request, rule, resolver);
    return true;
  }

  private async admit(
    request: AuthorizedRequest,
    rule: AccessRule | undefined,
    resolver: ResourceResolver | undefined,
  ): Promise<void> {
    const caller = await this.authenticate(apiKeyOf(request));
    if (!rule) throw new UnauthorizedOperationError();
    request.caller = caller;
    const names = resolver && namesOf(request, rule);
    if (names) request.subject = await resolver.resolve(names, caller);
    if (!mayCall(rule, caller, request.subject)) throw new UnauthorizedOperationError();
  }

  private routeOf(context: ExecutionContext): GuardedRoute {
    const handler = context.getHandler();
    let route = this.routes.get(handler);
    if (!route) {
      const rule = this.reflector.getAllAndOverride<GuardedRoute['rule']>(ACCESS_RULE, [
        handler,
        context.getClass(),
      ]);
      const resource = rule === PUBLIC ? undefined : rule?.resource;
      route = {
        rule,
        resolver: resource && this.moduleRef.get<ResourceResolver>(resource, { strict: false }),
      };
      this.routes.set(handler, route);
    }
    return route;
  }

  private async authenticate(key: string | undefined): Promise<Caller> {
    const caller = key === undefined ? undefined : await this.apiKeys.authenticate(key);
    if (!caller) throw new AuthenticationError();
    return caller;
  }
}

/** What names the subject; undefined when the query lacks some of it, which the operation's DTO then refuses. */
function namesOf(request: AuthorizedRequest, { fromQuery }: AccessRule): PathParameters | undefined {
  const path = request.params as Record<string, string>;
  if (!fromQuery) return path;
  const query = queryOf(request).entries;
  const values = fromQuery.map((name) => {
    const [value, ...others] = query.get(name) ?? [];
    return others.length === 0 ? value : undefined;
  });
  if (values.includes(undefined)) return undefined;
  return { ...path, ...Object.fromEntries(fromQuery.map((name, index) => [name, values[index]])) };
}

/** Whether the rule lets the caller act on the subject. */
export function mayCall(rule: AccessRule, caller: Caller, subject: AccessSubject | undefined): boolean {
  const isProjectAdministrator = subject?.isProjectAdministrator === true;
  const isAdministrator = isProjectAdministrator || caller.roleType === RoleType.Administrator;
  const isOwner = subject?.ownerId === caller.id;
  const mayByRule =
    rule.roles.includes(caller.roleType) ||
    (rule.orProjectAdministrator === true && isProjectAdministrator) ||
    (isOwner && (rule.orOwner === true || rule.orOwner?.includes(caller.roleType) === true));
  return mayByRule && (!rule.ownerOnly || isOwner) && (!rule.administratorOnly || isAdministrator);
}
