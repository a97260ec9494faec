import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type Request } from 'express';
import { type MessageClasses } from './message-classes';

/** A request that the service sends to itself while it answers one of a client. */
export interface InternalRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body?: Buffer;
}

/** The response to an internal request. */
export interface InternalResponse {
  status: number;
  headers: Readonly<OutgoingHttpHeaders>;
  body: Buffer;
}

/** The response of an internal request is longer than its sender can use. */
export class LongResponseError extends Error {
  constructor() {
    super('The response is too long.');
  }
}

/** Serves a request, like the listener of a server. */
type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const internal = new WeakSet<IncomingMessage>();

/** Whether the service has sent a request to itself: the client's request has already been counted against limits of requests at once. */
export const isInternal = (request: IncomingMessage): boolean => internal.has(request);

/**
 * Sends a request of a client's request to the service itself, in this process and without a connection: with all checks, limits, logs and
 * transactions of a request over HTTP.
 * @param outer the client's request
 * @param maxBytes maximum length of the response's body
 * @param signal aborts the request when the client has gone
 * @throws LongResponseError, or the reason of the signal
 */
export function sendInternally(
  { IncomingMessage, ServerResponse }: MessageClasses,
  serve: Serve,
  outer: Request,
  { method, url, headers, body }: InternalRequest,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<InternalResponse> {
  return new Promise((resolve, reject) => {
    const socket = new InternalSocket(outer.socket, maxBytes);
    const request = new IncomingMessage(socket as unknown as Socket);
    Object.assign(request, { method, url, httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0 });
    request.headers = body ? { ...headers, 'content-length': String(body.length) } : headers;
    if (body) request.push(body);
    request.push(null);
    request.complete = true;
    internal.add(request);
    // With version 1.0, the body is written as it is.
    const response = new ServerResponse(request);
    response.assignSocket(socket as unknown as Socket);
    // What a server does for its connections.
    socket.on('drain', () => response.emit('drain'));
    const abort = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    response.once('finish', () => {
      // The last piece is reported as written before its error.
      if (socket.isTooLong) reject(new LongResponseError());
      else resolve({ status: response.statusCode, headers: response.getHeaders(), body: socket.bodyOf() });
      socket.destroy();
    });
    socket.on('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      // No effect on a request that has been answered.
      reject(new Error('An internal request was not answered.'));
    });
    if (signal.aborted) abort();
    else serve(request, response);
  });
}

const HEAD_END = '\r\n\r\n';

/** Takes the place of a connection: collects what is written to it. */
class InternalSocket extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  readonly encrypted: boolean;
  private readonly chunks: Buffer[] = [];
  private size = 0;

  constructor(
    outer: Socket,
    private readonly maxBytes: number,
  ) {
    super();
    this.remoteAddress = outer.remoteAddress;
    this.localAddress = outer.localAddress;
    this.localPort = outer.localPort;
    this.encrypted = (outer as { encrypted?: boolean }).encrypted === true;
  }

  get isTooLong(): boolean {
    return this.size > this.maxBytes;
  }

  /** Returns what follows the head of the response. */
  bodyOf(): Buffer {
    const all = Buffer.concat(this.chunks);
    return all.subarray(all.indexOf(HEAD_END) + HEAD_END.length);
  }

  setTimeout(): this {
    return this;
  }

  override _read(): void {
    // Nothing arrives: the request is complete.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.size += chunk.length;
    this.chunks.push(chunk);
    done(this.isTooLong ? new LongResponseError() : undefined);
  }
}
