import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { errorsAnswered } from './diagnostics/channels';
import { isReferenceError, isUnavailable } from './database/connections/database-errors';
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
import { appendValidIds, hasUnreadIds } from './errors/valid-ids';
import { TooSlowError } from './git/transfer-pace';
import { ClientGoneError } from './http/server/client-signal';
import { MAX_BODY_SIZE } from './http/request/request-body';
import { answersErrorsAsText } from './http/response/text-errors';
import { type ServiceAdapter } from './http/server/service-adapter';
import { FirstLinesLogger } from './logging/first-lines-logger';
import { LimitedLogger } from './logging/limited-logger';
import { isHealthCheck, requestDetails } from './logging/request-log.service';

/** How long a client may continue to send a body that is no longer read, in milliseconds. */
const LINGER_MS = 5000;
/** Maximum number of bytes discarded from the connection during that time: more than any body except an upload. */
const LINGER_SIZE = 2 * MAX_BODY_SIZE;

/** Errors that indicate that a limit was reached. */
const LIMIT_ERRORS = [TooManyRequestsError, TooSlowError, ResourceOverflowError, SpaceOverCapacityError];

/** Answers every error in the format of the API contract; logs errors that are not the caller's fault with the request id. */
@Catch()
export class ExceptionsFilter implements ExceptionFilter {
  private readonly logger = new Logger(ExceptionsFilter.name);
  private readonly unavailable = new LimitedLogger(this.logger);
  private readonly limits = new FirstLinesLogger(this.logger);

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    // No client is left to answer.
    if (exception instanceof ClientGoneError) return;
    const error = this.toDomainError(exception, request);
    errorsAnswered.publish({ error });
    this.log(error, exception, request);
    if (!(error instanceof InvalidRequestError && hasUnreadIds(error))) {
      this.answer(error, request, response);
      return;
    }
    const answered = this.appendValidIds(error, request).then(() => this.answer(error, request, response));
    // Nest does not handle the rejection of a filter, which would end the process.
    answered.catch((failure: unknown) => {
      this.logger.error({ err: failure, ...requestDetails(request) });
      response.destroy();
    });
  }

  private answer(error: unknown, request: Request, response: Response): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (!request.complete) stopReading(request, response);
    // The unread rest of a partially read body would block the connection's next request.
    else if (!request.readableEnded) request.resume();
    this.write(error, request, response);
  }

  /** Sends the response. */
  protected write(error: unknown, _request: Request, response: Response): void {
    const { status, headers, body } = toErrorResponse(error);
    response.status(status).set(headers);
    if (answersErrorsAsText(response)) response.type('text/plain').send(textOf(body));
    else response.json(body);
  }

  /** Transactions have ended here. If the ids cannot be read, the refusal is answered without them. */
  private async appendValidIds(error: InvalidRequestError, request: Request): Promise<void> {
    try {
      await appendValidIds(error);
    } catch (failure) {
      this.unavailable.error({ err: failure, ...requestDetails(request) }, 'Could not read the valid ids');
    }
  }

  private log(error: unknown, exception: unknown, request: Request): void {
    if (error instanceof ServiceUnavailableError) {
      // A failed health check has already been logged.
      if (exception === error && isHealthCheck(request)) return;
      this.unavailable.error({ err: exception, ...requestDetails(request) }, error.message);
    } else if (!(error instanceof DomainError)) {
      this.logger.error({ err: exception, ...requestDetails(request) });
    } else if (LIMIT_ERRORS.some((type) => error instanceof type)) {
      this.logLimit(error, request);
    }
  }

  /** Tells the operator why a request was refused or cut off: names the user, or the address without one, the limit and its setting. */
  private logLimit(error: DomainError, request: Request): void {
    const caller = requestDetails(request);
    const reached =
      error instanceof TooManyRequestsError || error instanceof TooSlowError ? error.details : {};
    const key = [caller.userId ?? caller.address, Object.values(reached)].join();
    this.limits.warn(key, { ...caller, ...reached }, `A limit was reached: ${error.message}`);
  }

  private toDomainError(exception: unknown, request: Request): unknown {
    if (isUnavailable(exception)) return new ServiceUnavailableError();
    // References are checked before the transaction; a referenced row, such as the sender's, has been deleted since.
    if (isReferenceError(exception)) {
      this.logger.warn({ err: exception, requestId: request.id });
      return new InvalidRequestError('An object that the request refers to was removed concurrently.');
    }
    // Only Nest's own router throws these: for a path or method without a route.
    if (exception instanceof NotFoundException) {
      const { routes } = this.adapterHost.httpAdapter as ServiceAdapter;
      const methods = routes.methodsOf(request.path);
      return methods.length > 0 ? new MethodNotAllowedError(methods) : new NoResourceError('operation');
    }
    return exception;
  }
}

/** The errors, one per line. */
const textOf = ({ errors }: ErrorBody): string => errors.map(({ message }) => `${message}\n`).join('');

/**
 * Keeps the connection open briefly, so that the client receives the response and not a reset, and then closes it. Bytes beyond
 * the limit are not read. Announces the close if the connection is unlikely to be reusable.
 */
function stopReading(request: Request, response: Response): void {
  const { socket, headers } = request;
  const length = headers['transfer-encoding'] ? Infinity : Number(headers['content-length'] ?? 0);
  if (length > LINGER_SIZE) {
    response.setHeader('Connection', 'close');
    // Node would close the connection right after the response, and the client could lose it.
    socket.destroySoon = () => void socket.end();
  }
  let left = LINGER_SIZE;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.pause();
  });
  request.resume();
  // The timer must not keep the process alive.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  request.once('close', () => clearTimeout(timer));
}
