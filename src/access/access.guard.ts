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

/**
 * Lets a request through to its handler in the order of decisions, section 2: 401 without a valid credential, 404 for
 * what the caller may not see, 403 for what the caller may not do. A route without a rule is refused.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly moduleRef: ModuleRef,
    private readonly apiKeys: ApiKeysService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | typeof PUBLIC | undefined>(ACCESS_RULE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (rule === PUBLIC) return true;
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const caller = await this.authenticate(apiKeyOf(request));
    if (!rule) throw new UnauthorizedOperationError();
    request.caller = caller;
    if (rule.resource) {
      const resolver = this.moduleRef.get<ResourceResolver>(rule.resource, { strict: false });
      request.subject = await resolver.resolve(request.params as Record<string, string>, caller);
    }
    if (!mayCall(rule, caller, request.subject)) throw new UnauthorizedOperationError();
    return true;
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
  const byAuthorship = !rule.authorOnly || subject?.authorId === caller.id;
  return (byRole || byProject) && byAuthorship;
}
