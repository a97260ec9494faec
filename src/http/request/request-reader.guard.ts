import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { InvalidRequestError } from '../../errors/domain-errors';
import { API_KEY_PARAMETER } from './credentials';
import { Form, parseForm } from './form';
import { readBody, refuseBody } from './request-body';
import { refuseNames } from './request-dto.pipe';
import { type ServiceAdapter } from '../server/service-adapter';

/** A request whose body is still to be read. */
export interface ReadRequest extends Request {
  /** Checks the caller's rights again after the body has been read and before the handler runs. */
  onBodyRead?: () => Promise<void>;
}

type HandlerClass = abstract new () => unknown;

/** What a handler takes of a request. */
interface Needs {
  query: boolean;
  body: boolean;
  /** The request itself: the handler reads the body, such as an upload. */
  request: boolean;
}

/**
 * Reads query and body after the access guard, so that nothing a stranger sends is parsed and 401, 404 and 403 come before
 * any 400 (`docs/decisions/0004-access.md`). A body that the handler does not take is not read at all. What handlers
 * take of them, the pipe turns into DTOs. A guard because an interceptor, the other thing that Nest runs before pipes, would
 * cost each request far more.
 */
@Injectable()
export class RequestReaderGuard implements CanActivate {
  private readonly needsByHandler = new WeakMap<object, Needs>();

  constructor(private readonly adapterHost: HttpAdapterHost<ServiceAdapter>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ReadRequest>();
    const { pendingAnswers } = this.adapterHost.httpAdapter;
    // Before anything is done for who takes no answers: what has been written could not be refused any more.
    if (pendingAnswers.isAny) pendingAnswers.admit(request, 0);
    const needs = this.needsOf(context.getClass(), context.getHandler());
    const query = queryOf(request);
    if (needs.query) {
      // Express computes `query` anew at each access; this is the one reading of it.
      Object.defineProperty(request, 'query', { value: query, configurable: true });
    } else {
      refuseNames(query);
    }
    if (needs.request) return true;
    if (!needs.body) {
      refuseBody(request);
      return true;
    }
    request.body = await this.inTime(request, readBody(request, http.getResponse<Response>()));
    await request.onBodyRead?.();
    return true;
  }

  /** @throws InvalidRequestError when the body takes too long; who sends it is hung up on a little later */
  private inTime(request: Request, body: Promise<unknown>): Promise<unknown> {
    // The usual one comes with the head.
    if (request.complete) return body;
    const seconds = this.adapterHost.httpAdapter.settings.BODY_TIMEOUT;
    return new Promise((resolve, reject) => {
      const late = (): void =>
        reject(new InvalidRequestError(`The request body did not arrive within ${seconds} seconds.`));
      const timer = setTimeout(late, seconds * 1000);
      body.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  private needsOf(controller: HandlerClass, handler: { name: string }): Needs {
    let needs = this.needsByHandler.get(handler);
    if (!needs) {
      const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
      const takes = (type: RouteParamtypes): boolean =>
        Object.keys(parameters).some((key) => key.startsWith(`${type}:`));
      needs = {
        query: takes(RouteParamtypes.QUERY),
        body: takes(RouteParamtypes.BODY),
        request: takes(RouteParamtypes.REQUEST),
      };
      this.needsByHandler.set(handler, needs);
    }
    return needs;
  }
}

/** The query string as it came, without the credential that may be in it. */
export function queryOf(request: Request): Form {
  const mark = request.originalUrl.indexOf('?');
  if (mark === -1) return new Form();
  const query = parseForm(request.originalUrl.slice(mark + 1));
  query.entries.delete(API_KEY_PARAMETER);
  return query;
}
