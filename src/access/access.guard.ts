import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { Environment } from '../config/environment';
import {
  AuthenticationError,
  InsufficientScopeError,
  OldSignInError,
  RequiredMFAError,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { apiKeyOf, type Credential, passwordOrKeyOf } from '../http/request/credentials';
import { requireOwnForm, requireOwnScript } from './own-pages';
import { isInternal } from '../http/server/internal-requests';
import { answerErrorsAsText } from '../http/response/text-errors';
import { hideMailAddresses } from '../http/response/shown-users';
import { queryOf } from '../http/request/query';
import { sessionTokenOf } from '../http/request/session-cookie';
import { AddressLimitsService } from '../limits/address-limits.service';
import { COUNTED_AS, type CountedAs, countedAs } from '../limits/rate-class';
import { RequestRatesService } from '../limits/request-rates.service';
import { UserConnectionsService } from '../limits/user-connections.service';
import { UserRequestsService } from '../limits/user-requests.service';
import { FACTORS_PATH } from '../pages/page-paths';
import {
  ACCESS_RULE,
  type AccessResource,
  type AccessRule,
  type AuthorizedRequest,
  type PathParameters,
  PUBLIC,
  type ResourceLoader,
} from './access';
import { Authenticator, SessionAuthenticator } from './authenticator';
import { type Caller } from './caller';
import { isGuest, RoleType } from './role-type';
import { missingScopes, type Scope, scopesOf, scopeTraits } from './scopes';

/** The metadata of `@ApiTags()`, for which `@nestjs/swagger` exports no name. */
const TAGS = 'swagger/apiUseTags';

const LIMITED_TO_PROJECTS =
  'The API key is limited to projects: it has no rights of an Administrator, and changes nothing outside them.';

/** The access rule of a handler, looked up on its first call. */
interface GuardedRoute {
  rule: AccessRule | typeof PUBLIC | undefined;
  loader: ResourceLoader | undefined;
  /** The declared class of its requests for rate limits, if its method does not determine it. */
  declared: CountedAs | undefined;
  /** The scopes that a key needs, derived for the first key that has scopes. */
  scopes?: readonly Scope[];
}

/**
 * Admits a request to its handler. The checks run in the order of `docs/decisions/0003-access.md#rights`: 401 without a valid
 * credential, 403 for users who lack a required second factor, 403 for a key without the scopes of the operation or one limited to projects where these do not matter, 404 for resources that the caller may not see, 403 for operations
 * that the caller may not perform. A route without a rule is refused. Too many requests of one user, per minute or at once, or too many
 * wrong keys, result in 429, in place of the 401 or right after it.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly routes = new WeakMap<object, GuardedRoute>();

  constructor(
    private readonly reflector: Reflector,
    private readonly moduleRef: ModuleRef,
    private readonly environment: Environment,
    private readonly authenticator: Authenticator,
    private readonly sessions: SessionAuthenticator,
    private readonly addresses: AddressLimitsService,
    private readonly rates: RequestRatesService,
    private readonly userConnections: UserConnectionsService,
    private readonly userRequests: UserRequestsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { rule, declared } = this.routeOf(context);
    if (rule === PUBLIC) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthorizedRequest>();
    const response = http.getResponse<Response>();
    const realm = rule?.passwordRealm;
    if (realm !== undefined) answerErrorsAsText(response);
    let caller = await this.authenticate(request, rule);
    // From here on, the log names the caller of a refused request.
    request.caller = caller;
    const isOfClient = !isInternal(request);
    if (isOfClient) this.userConnections.noteUser(caller.id, request, response);
    await this.rates.count(caller.id, countedAs(request.method, declared), response);
    const turn = isOfClient ? this.userRequests.enter(caller.id, response) : undefined;
    if (turn) {
      await turn;
      caller = await this.authenticate(request, rule);
    }
    await this.authorize(context, await this.renewed(request, rule, caller));
    request.authorizeAgain = async () => {
      const current = await this.authenticate(request, rule);
      await this.authorize(context, await this.renewed(request, rule, current));
    };
    // A slow body can take minutes, during which the caller may lose their rights. Most bodies arrive with the headers.
    if (!request.complete) request.onBodyRead = request.authorizeAgain;
    return true;
  }

  private async authorize(context: ExecutionContext, caller: Caller): Promise<void> {
    const route = this.routeOf(context);
    const { rule, loader } = route;
    if (!rule || rule === PUBLIC) throw new UnauthorizedOperationError();
    const http = context.switchToHttp();
    const request = http.getRequest<AuthorizedRequest>();
    request.caller = caller;
    if (caller.lacksFactor && !rule.beforeSecondFactor) {
      throw RequiredMFAError.at(this.environment.webUrl(FACTORS_PATH));
    }
    if (caller.scopes) {
      route.scopes ??= this.scopesOf(context, route, rule);
      const missing = missingScopes(caller.scopes, route.scopes);
      if (missing.length > 0) throw new InsufficientScopeError(missing);
    }
    if (rule.beyondProjects && caller.projectIds) throw new UnauthorizedOperationError(LIMITED_TO_PROJECTS);
    if (isGuest(caller)) hideMailAddresses(http.getResponse<Response>(), caller.id);
    const names = loader && namesOf(request, rule);
    if (names) request.resource = await loader.load(names, caller);
    if (mayCall(rule, caller, request.resource)) {
      if (rule.needsRecentSignIn) requireRecentSignIn(caller);
      return;
    }
    const asAdministrator = { ...caller, roleType: RoleType.Administrator };
    if (!caller.lacksAdmin || !mayCall(rule, asAdministrator, request.resource)) {
      throw new UnauthorizedOperationError();
    }
    throw caller.projectIds
      ? new UnauthorizedOperationError(LIMITED_TO_PROJECTS)
      : new InsufficientScopeError(['admin']);
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
        loader: resource && this.moduleRef.get<ResourceLoader>(resource, { strict: false }),
        declared: this.reflector.get<CountedAs | undefined>(COUNTED_AS, handler),
      };
      this.routes.set(handler, route);
    }
    return route;
  }

  private scopesOf(context: ExecutionContext, { declared }: GuardedRoute, rule: AccessRule): Scope[] {
    const tags = this.reflector.get<string[] | undefined>(TAGS, context.getClass()) ?? [];
    const { method } = context.switchToHttp().getRequest<AuthorizedRequest>();
    return scopesOf({ traits: scopeTraits(rule), tags, method, counted: declared });
  }

  /** Returns the caller as the database has them for a change that is reserved to Administrators, because callers are cached for seconds. */
  private async renewed(
    request: AuthorizedRequest,
    rule: AccessRule | undefined,
    caller: Caller,
  ): Promise<Caller> {
    if (!rule || caller.roleType !== RoleType.Administrator || !isReservedChange(rule, request.method)) {
      return caller;
    }
    return this.authenticate(request, rule, true);
  }

  private async authenticate(
    request: AuthorizedRequest,
    rule: AccessRule | undefined,
    isAnew?: boolean,
  ): Promise<Caller> {
    const realm = rule?.passwordRealm;
    const { key, userId, authenticator } = this.credentialOf(request, rule) ?? {};
    if (key === undefined || !authenticator) throw new AuthenticationError(realm);
    const caller = await this.addresses.lookUp(
      request,
      () => authenticator.authenticate(key, userId, isAnew),
      () => !authenticator.isUnproven(key),
    );
    if (!caller) throw new AuthenticationError(realm);
    this.addresses.noteValidKey(request);
    return caller;
  }

  /**
   * Returns the key of a request, or else the token of its session, with the service that knows its user.
   * @throws ForgedRequestError for a session whose user has not made the request
   */
  private credentialOf(
    request: AuthorizedRequest,
    rule: AccessRule | undefined,
  ): (Credential & { authenticator: Authenticator }) | undefined {
    const credential = rule?.page ? undefined : keyOf(request, rule?.passwordRealm);
    if (credential) return { ...credential, authenticator: this.authenticator };
    const token = rule?.passwordRealm === undefined ? sessionTokenOf(request) : undefined;
    if (token === undefined) return undefined;
    if (rule?.page) requireOwnForm(request);
    else requireOwnScript(request, token);
    return { key: token, authenticator: this.sessions };
  }
}

function keyOf(request: Request, realm: string | undefined): Credential | undefined {
  if (realm !== undefined) return passwordOrKeyOf(request);
  const key = apiKeyOf(request);
  return key === undefined ? undefined : { key };
}

/** Returns the parameters that identify the resource; undefined when the query lacks one, which the operation's DTO then refuses. */
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

/** Whether an operation changes something, or returns a secret, and Administrators may call it where others with their access may not. */
const isReservedChange = ({ roles, administratorOnly, effect }: AccessRule, method: string): boolean =>
  (effect === 'write' || (method !== 'GET' && method !== 'HEAD')) &&
  (administratorOnly === true || roles.every((role) => role === RoleType.Administrator));

/** How long a sign-in counts as recent, in milliseconds. */
const RECENT_MS = 10 * 60_000;

/** @throws OldSignInError for a session whose user has not proved recently who they are */
export function requireRecentSignIn({ session }: Caller): void {
  if (session && Date.now() - session.authenticated > RECENT_MS) throw new OldSignInError();
}

/** Whether the rule lets the caller act on the resource. */
export function mayCall(rule: AccessRule, caller: Caller, resource: AccessResource | undefined): boolean {
  const isProjectAdministrator = resource?.isProjectAdministrator === true;
  const isAdministrator = isProjectAdministrator || caller.roleType === RoleType.Administrator;
  const isOwner = resource?.ownerId === caller.id;
  const mayByRule =
    rule.roles.includes(caller.roleType) ||
    (rule.orProjectAdministrator === true && isProjectAdministrator) ||
    (isOwner && (rule.orOwner === true || rule.orOwner?.includes(caller.roleType) === true));
  return mayByRule && (!rule.ownerOnly || isOwner) && (!rule.administratorOnly || isAdministrator);
}
