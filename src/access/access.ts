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
import { clientSignal } from '../http/server/client-signal';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { type RoleType } from './role-type';
import { type Caller } from './caller';

export type PathParameters = Readonly<Record<string, string | undefined>>;

/** What a path names, found for a caller; the part of it that access rules look at. */
export interface AccessResource {
  /** The caller is an administrator of the project it belongs to, if it belongs to one. */
  isProjectAdministrator?: boolean;
  /** Whose it is, where that matters: who wrote it, or who it is. */
  ownerId?: number;
}

/** Finds what a path names. */
export interface ResourceLoader<Resource extends AccessResource = AccessResource> {
  /** @throws NoResourceError for anything that does not exist or that the caller may not see */
  load(parameters: PathParameters, caller: Caller): Promise<Resource>;
}

/** Who may call an operation (`docs/decisions/0004-access.md`). */
export interface AccessRule {
  /** Roles that may. */
  roles: readonly RoleType[];
  /** Finds what the path names; left out where it names nothing. */
  resource?: Type<ResourceLoader>;
  /** Administrators of the project may too, whatever their role. */
  orProjectAdministrator?: true;
  /** Whose it is may too, whatever their role, or in one of these roles. */
  orOwner?: true | readonly RoleType[];
  /** Of those who may, only Administrators and who administers the project. */
  administratorOnly?: true;
  /** Of those who may, only whose it is. */
  ownerOnly?: true;
  /** Parameters of the query string that name something as the path does: they are given to the resource's loader. */
  fromQuery?: readonly string[];
}

export const ACCESS_RULE = Symbol('access rule');
export const PUBLIC = 'public';

/** Security schemes of the OpenAPI document, in the order in which Swagger UI offers them; each alone is enough. */
export const SECURITY_SCHEMES = ['apiKeyHeader', 'bearer', 'apiKeyQuery'] as const;

/** Says who may call the operation; the guard refuses every route without it. */
export const Access = (rule: AccessRule): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ACCESS_RULE, rule), ...SECURITY_SCHEMES.map((scheme) => ApiSecurity(scheme)));

/** Opens a route to everyone, without a credential. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS_RULE, PUBLIC);

/** A request after the guard has let it through. */
export interface AuthorizedRequest extends ReadRequest {
  caller: Caller;
  resource?: AccessResource;
  /** Asks the guard's questions again, and renews both. @throws what the guard would refuse the request with */
  authorizeAgain: () => Promise<void>;
}

/** Who searches. A search can wait and run for so long that the caller has lost their rights before it has found anything. */
export interface AuthorizedSearcher extends Requester {
  /** The caller as they are now. @throws what the guard would refuse the request with now */
  authorizeAgain: () => Promise<Caller>;
}

/** Handler parameter: who makes the request. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthorizedRequest>().caller,
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

/** Handler parameter: what the path names, as the access rule's loader found it. */
export const PathResource = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AccessResource | undefined =>
    context.switchToHttp().getRequest<AuthorizedRequest>().resource,
);
