import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { AuthenticationError, UnauthorizedOperationError } from '../errors/domain-errors';
import { apiKeyOf } from '../http/credentials';
import { ApiKeysService } from '../users/api-keys.service';
import {
  ACCESS_RULE,
  type AccessRule,
  type AccessSubject,
  type AuthorizedRequest,
  PUBLIC,
  type ResourceResolver,
} from './access';
import { type Caller } from '../users/caller';

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
    const caller = await this.authenticate(apiKeyOf(request));
    if (!rule) throw new UnauthorizedOperationError();
    request.caller = caller;
    if (resolver) request.subject = await resolver.resolve(request.params as Record<string, string>, caller);
    if (!mayCall(rule, caller, request.subject)) throw new UnauthorizedOperationError();
    return true;
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

/** Whether the rule lets the caller act on the subject. */
export function mayCall(rule: AccessRule, caller: Caller, subject: AccessSubject | undefined): boolean {
  const byRole = rule.roles.includes(caller.roleType);
  const byProject = rule.orProjectAdministrator === true && subject?.isProjectAdministrator === true;
  const isOwner = subject?.ownerId === caller.id;
  const byOwnership = rule.orOwner === true && isOwner;
  return (byRole || byProject || byOwnership) && (!rule.ownerOnly || isOwner);
}
