import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { InvalidRequestError } from '../../errors/domain-errors';
import { API_KEY_PARAMETER } from './credentials';
import { Form, parseForm } from './form';
import { type AnyClass, parametersFrom } from './handler-parameters';
import { readBody, refuseBody } from './request-body';
import { refuseNames } from './request-dto.pipe';
import { type ServiceAdapter } from '../server/service-adapter';

/** A request whose body is still to be read. */
export interface ReadRequest extends Request {
  /** The query string, once it has been parsed. */
  parsedQuery?: Form;
  /** Checks the caller's rights again after the body has been read and before the handler runs. */
  onBodyRead?: () => Promise<void>;
}

/** The parts of a request that a handler takes. */
interface Needs {
  query: boolean;
  body: boolean;
  /** The request itself: the handler reads the body, such as an upload. */
  request: boolean;
}

/**
 * Reads query and body after the access guard, so that nothing a stranger sends is parsed and 401, 404 and 403 come before
 * any 400 (`docs/decisions/0004-access.md`). A body that the handler does not take is not read at all. The pipe
 * turns both into DTOs. A guard, because an interceptor, the other thing that Nest runs before pipes, would cost each request
 * far more.
 */
@Injectable()
export class RequestReaderGuard implements CanActivate {
  private readonly needsByHandler = new WeakMap<object, Needs>();

  constructor(private readonly adapterHost: HttpAdapterHost<ServiceAdapter>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ReadRequest>();
    const { pendingAnswers } = this.adapterHost.httpAdapter;
    // Refuses clients that do not read their answers before anything is done for them: a write could not be refused afterwards.
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

  /** @throws InvalidRequestError when the body takes too long; its connection is closed a little later */
  private inTime(request: Request, body: Promise<unknown>): Promise<unknown> {
    // Most bodies arrive with the head.
    if (request.complete) return body;
    const seconds = this.adapterHost.httpAdapter.settings.BODY_TIMEOUT;
    return new Promise((resolve, reject) => {
      const late = (): void =>
        reject(new InvalidRequestError(`The request body did not arrive within ${seconds} seconds.`));
      const timer = setTimeout(late, seconds * 1000);
      body.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  private needsOf(controller: AnyClass, handler: { name: string }): Needs {
    let needs = this.needsByHandler.get(handler);
    if (!needs) {
      const takes = (part: RouteParamtypes): boolean =>
        parametersFrom(part, controller, handler.name).length > 0;
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

/**
 * The query string as it came, without the credential that may be in it. Parsed once, though the access guard looks at it before
 * the reader does.
 */
export function queryOf(request: ReadRequest): Form {
  request.parsedQuery ??= parseQuery(request);
  return request.parsedQuery;
}

function parseQuery({ originalUrl }: Request): Form {
  const mark = originalUrl.indexOf('?');
  if (mark === -1) return new Form();
  const query = parseForm(originalUrl.slice(mark + 1));
  query.entries.delete(API_KEY_PARAMETER);
  return query;
}
