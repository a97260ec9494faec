import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type NextFunction, type Request, type Response } from 'express';
import { Environment, EnvironmentError } from '../config/environment';
import { AuthenticationError } from '../errors/domain-errors';
import { bearerTokenOf } from '../http/request/credentials';
import { refuseBody } from '../http/request/request-body';
import { type ServiceAdapter } from '../http/server/service-adapter';
import { AddressLimitsService } from '../limits/address-limits.service';
import { MetricsService } from './metrics.service';

const PATH = '/metrics';
/** Maximum time until a request has arrived, on the metrics port, in milliseconds. */
const REQUEST_TIMEOUT_MS = 5000;
/** Longer than the usual interval between scrapes, in milliseconds. */
const KEEP_ALIVE_MS = 75_000;
const MAX_CONNECTIONS = 32;

/** Serves the metrics at `/metrics`: on a separate port, or on the service's port to clients with the token. */
@Injectable()
export class MetricsEndpointService implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server?: Server;

  constructor(
    private readonly environment: Environment,
    private readonly metrics: MetricsService,
    private readonly addresses: AddressLimitsService,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
  ) {}

  /** The separate port in use; undefined without one. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  onModuleInit(): void {
    if (this.environment.METRICS_PORT === undefined) {
      this.adapterHost.httpAdapter.get(PATH, (request: Request, response: Response, next: NextFunction) => {
        this.answerOnSharedPort(request, response).catch(next);
      });
    }
  }

  /** @throws EnvironmentError when the server cannot listen on METRICS_PORT */
  async onApplicationBootstrap(): Promise<void> {
    const { METRICS_PORT: port, METRICS_HOST: host } = this.environment;
    if (port === undefined) return;
    const server = createServer(
      {
        headersTimeout: REQUEST_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
      },
      (request, response) => void this.answerOnOwnPort(request, response),
    );
    server.maxConnections = MAX_CONNECTIONS;
    server.listen({ port, host });
    // Only the service's own port keeps the process alive; this one must not, if the start fails.
    server.unref();
    try {
      await once(server, 'listening');
    } catch (error) {
      throw new EnvironmentError([`METRICS_PORT cannot be used: ${(error as Error).message}`]);
    }
    this.server = server;
    this.logger.log({ host, port: this.port }, 'Metrics are served on a separate port');
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  /** A wrong token counts as a wrong API key, and gets the same response. */
  private async answerOnSharedPort(request: Request, response: Response): Promise<void> {
    refuseBody(request);
    if (!this.isAllowed(request)) {
      await this.addresses.countFailedKey(request);
      throw new AuthenticationError();
    }
    this.addresses.noteValidKey(request);
    await this.send(response);
  }

  private async answerOnOwnPort(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (url.split('?', 1)[0] !== PATH) {
      response.writeHead(404).end();
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    } else if (!this.isAllowed(request)) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    } else {
      try {
        await this.send(response);
      } catch (error) {
        this.logger.error({ err: error }, 'Could not collect metrics');
        response.writeHead(500).end();
      }
    }
  }

  private async send(response: ServerResponse): Promise<void> {
    const text = await this.metrics.collect();
    response.setHeader('Content-Type', this.metrics.registry.contentType);
    response.setHeader('Cache-Control', 'no-store');
    response.end(text);
  }

  private isAllowed({ headers }: IncomingMessage): boolean {
    const { METRICS_TOKEN: token } = this.environment;
    if (token === undefined) return true;
    return isSame(bearerTokenOf(headers.authorization ?? '') ?? '', token);
  }
}

/** Compares in constant time. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
