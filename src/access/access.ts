import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Requester } from '../event-loop/user-turns';
import { clientAddress } from '../http/request/client-address';
import { clientSignal } from '../http/server/client-signal';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { type RoleType } from './role-type';
import { type ScopeExceptions, SCOPES_EXTENSION, scopeTraits } from './scopes';
import { type AuditedCaller, type Caller } from './caller';

export type PathParameters = Readonly<Record<string, string | undefined>>;

/** The part of a path's resource that access rules use. */
export interface AccessResource {
  /** Whether the caller is an administrator of the resource's project, if it has one. */
  isProjectAdministrator?: boolean;
  /** Its owner, where relevant: the author, or the user that the resource represents. */
  ownerId?: number;
}

/** Finds the resource of a path. */
export interface ResourceLoader<Resource extends AccessResource = AccessResource> {
  /** @throws NoResourceError when it does not exist or the caller may not see it */
  load(parameters: PathParameters, caller: Caller): Promise<Resource>;
}

/** The callers that may use an operation (`docs/decisions/0003-access.md#rights`). */
export interface AccessRule extends ScopeExceptions {
  /** The roles that may call it. */
  roles: readonly RoleType[];
  /** Finds the resource of the path; absent where the path has none. */
  resource?: Type<ResourceLoader>;
  /** Also allows administrators of the project, whatever their role. */
  orProjectAdministrator?: true;
  /** Also allows the owner, whatever their role, or only in one of these roles. */
  orOwner?: true | readonly RoleType[];
  /** Restricts all of these to Administrators and administrators of the project. */
  administratorOnly?: true;
  /** Excludes keys that are limited to projects, because the change concerns the whole space. */
  beyondProjects?: true;
  /** Restricts all of these to the owner. */
  ownerOnly?: true;
  /**
   * Also accepts an API key as the password of HTTP Basic, with its user's `userId` as the name. Clients are asked for both with
   * this realm, and receive errors as plain text, which git displays.
   */
  passwordRealm?: string;
  /**
   * Requires users who have signed in to have proved recently who they are, because the change outlives their session
   * (`docs/decisions/0061-sign-in.md#recent-sign-in`). Keys are not affected.
   */
  needsRecentSignIn?: true;
  /** Also admits users who lack a second factor that `REQUIRE_MFA` requires: with these pages, they set it up. */
  beforeSecondFactor?: true;
  /** A page for people: accepts only sessions, and asks callers without one to sign in. */
  page?: true;
  /** Query parameters that identify a resource, like the path; they are also passed to the loader. */
  fromQuery?: readonly string[];
}

export const ACCESS_RULE = Symbol('access rule');
export const PUBLIC = 'public';

/** Security schemes of the OpenAPI document, in the order shown by Swagger UI; any one of them suffices. */
const SECURITY_SCHEMES = ['apiKeyHeader', 'bearer', 'apiKeyQuery'] as const;

/** Declares who may call the operation; the guard refuses every route without a rule. */
export const Access = (rule: AccessRule): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, rule),
    ...SECURITY_SCHEMES.map((scheme) => ApiSecurity(scheme)),
    ApiExtension(SCOPES_EXTENSION, scopeTraits(rule)),
  );

/** Opens a route to everyone, without a credential. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS_RULE, PUBLIC);

/** A request that the guard has admitted. */
export interface AuthorizedRequest extends ReadRequest {
  caller: Caller;
  resource?: AccessResource;
  /** Repeats the guard's checks and renews both. @throws the guard's refusal */
  authorizeAgain: () => Promise<void>;
}

/** The caller of a search, which can take so long that they lose their rights before it has a result. */
export interface AuthorizedSearcher extends Requester {
  /** Returns the current caller. @throws the guard's refusal, if they have lost their rights */
  authorizeAgain: () => Promise<Caller>;
}

/** Handler parameter: the user who makes the request. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthorizedRequest>().caller,
);

/** Handler parameter: the user who makes the request, for a change that the audit log records. */
export const CurrentAuditedCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AuditedCaller => {
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    return { ...request.caller, address: clientAddress(request) };
  },
);

/** Handler parameter: the user and the connection of the request, for a response that may have to wait its turn. */
export const CurrentRequester = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Requester => {
    const http = context.switchToHttp();
    const userId = http.getRequest<AuthorizedRequest>().caller.id;
    const response = http.getResponse<Response>();
    let signal: AbortSignal | undefined;
    return {
      userId,
      /** Created on demand, because most requests do not wait and never listen for their client. */
      get signal() {
        return (signal ??= clientSignal(response));
      },
    };
  },
);

/** Handler parameter: the user who searches. */
export const CurrentSearcher = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AuthorizedSearcher => {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthorizedRequest>();
    return {
      userId: request.caller.id,
      signal: clientSignal(http.getResponse<Response>()),
      authorizeAgain: async () => {
        await request.authorizeAgain();
        return request.caller;
      },
    };
  },
);

/** Handler parameter: the resource of the path, as loaded by the access rule's loader. */
export const PathResource = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AccessResource | undefined =>
    context.switchToHttp().getRequest<AuthorizedRequest>().resource,
);
