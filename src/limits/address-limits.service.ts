import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Application, type NextFunction, type Request, type Response } from 'express';
import { Environment } from '../config/environment';
import { errorsAnswered } from '../diagnostics/channels';
import { TooManyRequestsError } from '../errors/domain-errors';
import { toErrorResponse } from '../errors/error-response';
import { addressGroup, clientAddress } from '../http/request/client-address';
import { bareAnswer } from '../http/server/bare-answer';
import { clientSignal } from '../http/server/client-signal';
import { type ServiceAdapter } from '../http/server/service-adapter';
import { onResponseEnd } from '../http/response/response-end';
import { LimitedLogger } from '../logging/limited-logger';
import { RateLimit } from './rate-limit';
import { Turns } from './turns';

const WINDOW_SECONDS = 60;
/** Time after which a connection without a key has been closed and its place is free, in milliseconds. */
const ROOM_AFTER_MS = 10_000;
/** How long a refused connection is still read, in milliseconds, so that the client receives the response and not a reset. */
const LINGER_MS = 1000;
/** Lookups of unproven keys for an address past its limit: how many run at once, how many wait, and for how long. */
const KEY_LOOKUP_LIMITS = { atOnce: 2, maxWaiting: 50, maxWaitMs: 2000 };

/** Whether to trust the addresses that a peer forwards; `index` counts the proxies, starting next to the service. */
type TrustsProxy = (address: string, index: number) => boolean;

/**
 * Limits what one client address can do without a valid key: connections held open, and wrong keys tried. A valid key is always
 * served, regardless of other users of the address, because many people can share one.
 */
@Injectable()
export class AddressLimitsService implements OnModuleInit {
  private readonly logger = new LimitedLogger(new Logger(AddressLimitsService.name));
  private readonly maxUnauthenticated: number;
  /** Number of connections, or requests forwarded by a proxy, without a valid key so far, by client. */
  private readonly unauthenticated = new Map<string, number>();
  /** The client for which each of those counts. */
  private readonly clientOf = new WeakMap<Socket | Request, string>();
  private readonly failedKeys: RateLimit;
  private readonly lookUps: Turns<string>;
  private trustsProxy: TrustsProxy = () => false;

  constructor(
    environment: Environment,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
  ) {
    const { MAX_UNAUTHENTICATED_CONNECTIONS, MAX_FAILED_KEYS } = environment;
    this.maxUnauthenticated = MAX_UNAUTHENTICATED_CONNECTIONS;
    this.failedKeys = new RateLimit('failed_keys', MAX_FAILED_KEYS, WINDOW_SECONDS);
    this.lookUps = new Turns({
      ...KEY_LOOKUP_LIMITS,
      refusal: () => TooManyRequestsError.after('failed_keys', MAX_FAILED_KEYS, KEY_LOOKUP_LIMITS.maxWaitMs),
    });
  }

  /** Intercepts new connections before Node handles them, so that a refused one is never read. */
  onModuleInit(): void {
    const { httpAdapter } = this.adapterHost;
    const application = httpAdapter.getInstance<Application>();
    this.trustsProxy = application.get('trust proxy fn') as TrustsProxy;
    if (this.maxUnauthenticated === 0) return;
    const server = httpAdapter.getHttpServer() as Server;
    const accept = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.admitConnection(socket)) for (const listener of accept) listener.call(server, socket);
      else {
        const error = this.tooManyUnauthenticated();
        this.logger.warn(
          { address: socket.remoteAddress, ...error.details },
          'Too many connections without a valid API key',
        );
        errorsAnswered.publish({ error });
        // A TLS client could not read a response before the handshake.
        if (httpAdapter.certificate) socket.destroy();
        else refuseConnection(socket, error);
      }
    });
  }

  /** Express middleware: counts a request forwarded by a trusted proxy like a connection of its client. */
  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    if (this.maxUnauthenticated === 0 || !this.isProxy(request.socket)) {
      next();
    } else if (this.admit(request, addressGroup(clientAddress(request)))) {
      onResponseEnd(response, () => this.release(request));
      next();
    } else {
      next(this.tooManyUnauthenticated());
    }
  };

  /** Stops counting a request with a valid key, and its connection. */
  noteValidKey(request: Request): void {
    if (this.unauthenticated.size === 0) return;
    this.release(this.adapterHost.httpAdapter.connections.transportOf(request.socket));
    this.release(request);
  }

  /**
   * Counts a wrong key.
   * @throws TooManyRequestsError past the limit
   */
  async countFailedKey(request: Request): Promise<void> {
    const client = addressGroup(clientAddress(request));
    const wasExceeded = this.failedKeys.isExceeded(() => client);
    try {
      await this.failedKeys.count(client);
    } catch (error) {
      const details = error instanceof TooManyRequestsError ? error.details : {};
      if (!wasExceeded) this.logger.warn({ address: client, ...details }, 'Too many wrong API keys');
      throw error;
    }
  }

  /**
   * Looks up a secret that strangers can guess: a key, the token of a session or of a link. A wrong one counts as a wrong key, past whose limit
   * the lookups of the address run only a few at a time, so that guessing does not keep the database busy.
   * @param isProven whether the secret has been found before, so that its lookup need not wait
   * @throws TooManyRequestsError past the limit
   */
  async lookUp<T>(
    request: Request,
    find: () => Promise<T | undefined>,
    isProven: () => boolean = () => false,
  ): Promise<T | undefined> {
    const mustWait = this.isSuspect(request) && !isProven();
    const found = mustWait ? await this.queueLookup(request, find) : await find();
    if (found === undefined) await this.countFailedKey(request);
    return found;
  }

  /** Whether the address has sent too many wrong keys, so that the lookup of another must wait for its turn. */
  private isSuspect(request: Request): boolean {
    return this.failedKeys.isExceeded(() => addressGroup(clientAddress(request)));
  }

  /** @throws TooManyRequestsError when too many requests of the address are already waiting */
  private queueLookup<T>(request: Request, lookUp: () => Promise<T>): Promise<T> {
    const gone = clientSignal(request.res as Response);
    return this.lookUps.run(addressGroup(clientAddress(request)), lookUp, gone);
  }

  /** Whether a connection comes from a trusted proxy. */
  isProxy({ remoteAddress }: Socket): boolean {
    return remoteAddress !== undefined && this.trustsProxy(remoteAddress, 0);
  }

  private admitConnection(socket: Socket): boolean {
    const { remoteAddress } = socket;
    // A client that has already disconnected has no address.
    if (remoteAddress === undefined || this.isProxy(socket)) return true;
    if (!this.admit(socket, addressGroup(remoteAddress))) return false;
    socket.once('close', () => this.release(socket));
    return true;
  }

  private admit(counted: Socket | Request, client: string): boolean {
    const count = this.unauthenticated.get(client) ?? 0;
    if (count >= this.maxUnauthenticated) return false;
    this.unauthenticated.set(client, count + 1);
    this.clientOf.set(counted, client);
    return true;
  }

  private release(counted: Socket | Request): void {
    const client = this.clientOf.get(counted);
    if (client === undefined) return;
    this.clientOf.delete(counted);
    const rest = (this.unauthenticated.get(client) ?? 0) - 1;
    if (rest > 0) this.unauthenticated.set(client, rest);
    else this.unauthenticated.delete(client);
  }

  private tooManyUnauthenticated(): TooManyRequestsError {
    return TooManyRequestsError.after('unauthenticated_connections', this.maxUnauthenticated, ROOM_AFTER_MS);
  }
}

/** Sends a response to a connection without reading from it, and closes it. */
function refuseConnection(socket: Socket, error: TooManyRequestsError): void {
  socket.on('error', () => undefined);
  socket.resume();
  socket.end(bareAnswer(toErrorResponse(error)));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
