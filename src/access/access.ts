import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Requester } from '../event-loop/user-turns';
import { clientAddress } from '../http/request/client-address';
import { clientSignal } from '../http/server/client-signal';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { type RoleType } from './role-type';
import { type AuditedCaller, type Caller } from './caller';

export type PathParameters = Readonly<Record<string, string | undefined>>;

/** The resource that a path names; the part of it that access rules look at. */
export interface AccessResource {
  /** The caller is an administrator of the project it belongs to, if it belongs to one. */
  isProjectAdministrator?: boolean;
  /** Its owner, where that matters: the author, or the user that it is. */
  ownerId?: number;
}

/** Finds the resource that a path names. */
export interface ResourceLoader<Resource extends AccessResource = AccessResource> {
  /** @throws NoResourceError when it does not exist or the caller may not see it */
  load(parameters: PathParameters, caller: Caller): Promise<Resource>;
}

/** Who may call an operation (`docs/decisions/0004-access.md`). */
export interface AccessRule {
  /** The roles that may call it. */
  roles: readonly RoleType[];
  /** Finds the resource that the path names; left out where it names none. */
  resource?: Type<ResourceLoader>;
  /** So may administrators of the project, whatever their role. */
  orProjectAdministrator?: true;
  /** So may the owner, whatever their role, or in one of these roles. */
  orOwner?: true | readonly RoleType[];
  /** Of all these, only Administrators and administrators of the project. */
  administratorOnly?: true;
  /** Of all these, only the owner. */
  ownerOnly?: true;
  /**
   * An API key may also come as the password of HTTP Basic, with its user's `userId` as the name. Clients are asked for both in the
   * name of this realm, and get errors as plain text, which git shows.
   */
  passwordRealm?: string;
  /** Query parameters that name a resource, as the path does; the loader gets them too. */
  fromQuery?: readonly string[];
}

export const ACCESS_RULE = Symbol('access rule');
export const PUBLIC = 'public';

/** Security schemes of the OpenAPI document, in the order in which Swagger UI offers them; any one of them suffices. */
export const SECURITY_SCHEMES = ['apiKeyHeader', 'bearer', 'apiKeyQuery'] as const;

/** Declares who may call the operation; the guard refuses every route without a rule. */
export const Access = (rule: AccessRule): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ACCESS_RULE, rule), ...SECURITY_SCHEMES.map((scheme) => ApiSecurity(scheme)));

/** Opens a route to everyone, without a credential. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS_RULE, PUBLIC);

/** A request after the guard has let it through. */
export interface AuthorizedRequest extends ReadRequest {
  caller: Caller;
  resource?: AccessResource;
  /** Repeats the guard's checks and renews both. @throws the guard's refusal */
  authorizeAgain: () => Promise<void>;
}

/** The caller of a search, which can take so long that they have lost their rights before it has found anything. */
export interface AuthorizedSearcher extends Requester {
  /** The caller as of now. @throws the guard's refusal, if they have lost their rights */
  authorizeAgain: () => Promise<Caller>;
}

/** Handler parameter: who makes the request. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthorizedRequest>().caller,
);

/** Handler parameter: who makes the request, for a change that the audit log records. */
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
      /** Few requests have to wait, so that most never listen for their client. */
      get signal() {
        return (signal ??= clientSignal(response));
      },
    };
  },
);

/** Handler parameter: who searches. */
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

/** Handler parameter: the resource that the path names, as the access rule's loader found it. */
export const PathResource = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AccessResource | undefined =>
    context.switchToHttp().getRequest<AuthorizedRequest>().resource,
);
