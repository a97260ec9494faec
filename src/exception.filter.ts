import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { errorsAnswered } from './diagnostics/channels';
import { isReferenceError, isUnavailable } from './database/database-errors';
import {
  DomainError,
  InvalidRequestError,
  MethodNotAllowedError,
  NoResourceError,
  ResourceOverflowError,
  ServiceUnavailableError,
  SpaceOverCapacityError,
  TooManyRequestsError,
} from './errors/domain-errors';
import { type ErrorBody, toErrorResponse } from './errors/error-response';
import { ClientGoneError } from './http/server/client-signal';
import { MAX_BODY_SIZE } from './http/request/request-body';
import { answersErrorsAsText } from './http/response/text-errors';
import { type ServiceAdapter } from './http/server/service-adapter';
import { LimitedLogger } from './logging/limited-logger';
import { isHealthCheck, requestDetails } from './logging/request-log.service';

/** How long a client may go on sending a body that is not read any more, in milliseconds. */
const LINGER_MS = 5000;
/** How much of it is taken off the connection meanwhile, in bytes: any body but an upload. */
const LINGER_SIZE = 4 * MAX_BODY_SIZE;

/** The errors that tell of a limit. */
const LIMITS = [TooManyRequestsError, ResourceOverflowError, SpaceOverCapacityError];

/** Answers every error in the contract's form; what is not the caller's fault is logged with the request's id. */
@Catch()
export class ExceptionsFilter implements ExceptionFilter {
  private readonly logger = new Logger(ExceptionsFilter.name);
  private readonly unavailable = new LimitedLogger(this.logger);
  private readonly limits = new LimitedLogger(this.logger);

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    // There is nobody to answer.
    if (exception instanceof ClientGoneError) return;
    const error = this.toDomainError(exception, request);
    errorsAnswered.publish({ error });
    this.log(error, exception, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (!request.complete) stopReading(request, response);
    // What is left of a body that has been read in part would keep the connection from its next request.
    else if (!request.readableEnded) request.resume();
    const { status, headers, body } = toErrorResponse(error);
    response.status(status).set(headers);
    if (answersErrorsAsText(response)) response.type('text/plain').send(textOf(body));
    else response.json(body);
  }

  private log(error: unknown, exception: unknown, request: Request): void {
    if (error instanceof ServiceUnavailableError) {
      // A health check that has found something says so itself.
      if (exception === error && isHealthCheck(request)) return;
      this.unavailable.error({ err: exception, ...requestDetails(request) }, error.message);
    } else if (!(error instanceof DomainError)) {
      this.logger.error({ err: exception, ...requestDetails(request) });
    } else if (LIMITS.some((limit) => error instanceof limit)) {
      this.limits.warn(requestDetails(request), `A limit was reached: ${error.message}`);
    }
  }

  private toDomainError(exception: unknown, request: Request): unknown {
    if (isUnavailable(exception)) return new ServiceUnavailableError();
    // What a request names is checked before its transaction; somebody, such as its sender, has been removed since.
    if (isReferenceError(exception)) {
      this.logger.warn({ err: exception, requestId: request.id });
      return new InvalidRequestError('Something that the request names has just been removed.');
    }
    // Only Nest's own router throws these: for a path, or a method, that no route has.
    if (exception instanceof NotFoundException) {
      const { routes } = this.adapterHost.httpAdapter as ServiceAdapter;
      const methods = routes.methodsOf(request.path);
      return methods.length > 0 ? new MethodNotAllowedError(methods) : new NoResourceError('operation');
    }
    return exception;
  }
}

/** What is wrong, a line each, with the fields that it is about. */
const textOf = ({ errors }: ErrorBody): string =>
  errors
    .map(({ message, moreInfo }) => `${moreInfo === '' ? message : `${moreInfo}: ${message}`}\n`)
    .join('');

/**
 * Lets the client finish for a moment, so that it sees the answer instead of a reset, and then hangs up. What it sends beyond
 * the limit stays in its own hands. A connection that can hardly be used again is said to be closed.
 */
function stopReading(request: Request, response: Response): void {
  const { socket, headers } = request;
  const length = headers['transfer-encoding'] ? Infinity : Number(headers['content-length'] ?? 0);
  if (length > LINGER_SIZE) {
    response.setHeader('Connection', 'close');
    // Node would cut the connection off right after the answer, and with it what is on its way to the client.
    socket.destroySoon = () => void socket.end();
  }
  let left = LINGER_SIZE;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.pause();
  });
  request.resume();
  // A connection that is gone by then must not keep the process.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  request.once('close', () => clearTimeout(timer));
}
