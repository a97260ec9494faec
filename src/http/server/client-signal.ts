import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Response } from 'express';
import { onResponseEnd } from '../response/response-end';

/** Work was abandoned because its client has gone. Neither answered nor logged. */
export class ClientGoneError extends Error {
  constructor() {
    super('The client has closed the connection.');
  }
}

/** Returns a signal that is aborted, with a `ClientGoneError`, when the client disconnects before its response has been sent. */
export function clientSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  onResponseEnd(response, () => {
    if (!response.writableFinished) controller.abort(new ClientGoneError());
  });
  return controller.signal;
}

/** Handler parameter: the signal of the request's client, for work that is pointless once the client has gone. */
export const ClientSignal = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal =>
  clientSignal(context.switchToHttp().getResponse<Response>()),
);
