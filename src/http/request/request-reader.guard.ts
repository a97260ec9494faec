import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { type AnyClass, parametersFrom } from './handler-parameters';
import { BodyAndQuery } from './body-and-query';
import { queryOf, type QueriedRequest } from './query';
import { takesFiltersInBody } from './filters-in-body';
import {
  hasBody,
  inTime,
  maybeEmptyForm,
  readBody,
  readEmptyForm,
  readForm,
  refuseBody,
} from './request-body';
import { refuseNames } from './unknown-names';
import { type ServiceAdapter } from '../server/service-adapter';

/** A request whose body has not been read yet. */
export interface ReadRequest extends QueriedRequest {
  /** Checks the caller's rights again after the body has been read and before the handler runs. */
  onBodyRead?: () => Promise<void>;
}

/** The parts of a request that a handler uses. */
interface Needs {
  query: boolean;
  body: boolean;
  /** The query may also be in a form body. */
  filtersInBody: boolean;
  /** The request itself: the handler reads the body, for example an upload. */
  request: boolean;
}

/**
 * Reads query and body after the access guard, so that nothing from an unauthenticated client is parsed, and 401, 404 and 403
 * take precedence over any 400 (`docs/decisions/0003-access.md#rights`). A body that the handler does not use is not read, unless it can
 * be an empty form. The pipe turns both into DTOs, or into one where a write has parameters in the query string. A guard, because
 * an interceptor, the only alternative that Nest runs before pipes, would cost each request far more.
 */
@Injectable()
export class RequestReaderGuard implements CanActivate {
  private readonly needsByHandler = new WeakMap<object, Needs>();

  constructor(private readonly adapterHost: HttpAdapterHost<ServiceAdapter>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ReadRequest>();
    const { pendingAnswers } = this.adapterHost.httpAdapter;
    // Refuses clients that do not read their responses before any work is done for them: a write could not be refused afterwards.
    if (pendingAnswers.hasPending) pendingAnswers.admit(request, 0);
    const needs = this.needsOf(context.getClass(), context.getHandler());
    const query = queryOf(request);
    if (needs.query) {
      // Express would compute `query` again at each access; this is the only time that it is read.
      Object.defineProperty(request, 'query', { value: query, configurable: true });
    } else if (!needs.body && !isRead(request)) {
      refuseNames(query.entries.keys());
    }
    if (needs.request) return true;
    if (needs.filtersInBody && hasBody(request)) {
      const filters = await this.withBodyTimeout(request, readForm(request, http.getResponse<Response>()));
      const value = new BodyAndQuery(filters, query);
      Object.defineProperty(request, 'query', { value, configurable: true });
      await request.onBodyRead?.();
      return true;
    }
    if (!needs.body) {
      if (isRead(request) || !maybeEmptyForm(request)) {
        refuseBody(request);
        return true;
      }
      await this.withBodyTimeout(request, readEmptyForm(request, http.getResponse<Response>()));
      await request.onBodyRead?.();
      return true;
    }
    const body = await this.withBodyTimeout(request, readBody(request, http.getResponse<Response>()));
    request.body = needs.query || query.entries.size === 0 ? body : new BodyAndQuery(body, query);
    await request.onBodyRead?.();
    return true;
  }

  private withBodyTimeout(request: Request, body: Promise<unknown>): Promise<unknown> {
    return inTime(request, body, this.adapterHost.httpAdapter.settings.BODY_TIMEOUT);
  }

  private needsOf(controller: AnyClass, handler: { name: string }): Needs {
    let needs = this.needsByHandler.get(handler);
    if (!needs) {
      const takes = (part: RouteParamtypes): boolean =>
        parametersFrom(part, controller, handler.name).length > 0;
      needs = {
        query: takes(RouteParamtypes.QUERY),
        body: takes(RouteParamtypes.BODY),
        filtersInBody: takesFiltersInBody(handler),
        request: takes(RouteParamtypes.REQUEST),
      };
      this.needsByHandler.set(handler, needs);
    }
    return needs;
  }
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';
