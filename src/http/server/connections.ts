import { type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { type DomainError, InvalidRequestError, TooLargeFileError } from '../../errors/domain-errors';
import { toErrorResponse } from '../../errors/error-response';
import { bareAnswer } from './bare-answer';

/** How long keep-alive connections stay open at shutdown, so that a request in transit gets a response, in milliseconds. */
const MAX_LINGER_MS = 2000;
/** Maximum number of requests of a connection that wait for earlier responses. */
const MAX_PIPELINED = 32;

/** Timeouts of connections, in milliseconds. */
export interface ConnectionTimes {
  /** From connecting to the end of the TLS handshake, if any. */
  handshake: number;
  /** Without any progress while a response is sent or a body received. */
  progress: number;
  /** From the start of the shutdown to the end of every connection. */
  grace: number;
}

/** A TCP connection whose TLS handshake has not ended. */
interface Handshake {
  socket: Socket;
  timer: NodeJS.Timeout;
}

/** Refusals of input that Node cannot parse as a request, with their status, by error code; `UNREADABLE` for other errors of its parser. */
const REFUSALS: Readonly<Record<string, readonly [status: number, error: DomainError]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, new InvalidRequestError('The request did not arrive in time.')],
  HPE_HEADER_OVERFLOW: [431, new InvalidRequestError('The headers of the request are too large.')],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, new TooLargeFileError('The request body is too large.')],
};
const UNREADABLE = [400, new InvalidRequestError('The request is not valid HTTP.')] as const;

/** Returns undefined for errors of the connection itself, such as a failed handshake, and for those of a response that was cut off. */
function refusalOf(code: unknown): string | undefined {
  // The codes of domain errors are numbers.
  if (typeof code !== 'string') return undefined;
  const refusal = REFUSALS[code] ?? (code.startsWith('HPE_') ? UNREADABLE : undefined);
  if (!refusal) return undefined;
  const [status, error] = refusal;
  return bareAnswer({ ...toErrorResponse(error), status });
}

const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/**
 * Tracks the connections of the HTTP server: closes those whose client makes no progress, and all of them at shutdown, regardless
 * of their state.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  /** TCP connections during their TLS handshake, by client address and port: Node does not expose the TCP connection of a TLS socket. */
  private readonly handshakes = new Map<string, Handshake>();
  /** Responses to requests that may take longer to arrive than an upload. */
  private readonly long = new WeakSet<ServerResponse>();
  private readonly transports = new WeakMap<Socket, Socket>();
  /** Number of requests of a connection that wait for earlier responses. */
  private readonly pipelined = new WeakMap<Socket, number>();
  private announced = false;
  private stopping = false;
  private closed?: Promise<void>;
  private onEmpty?: () => void;

  constructor(
    private readonly server: Server,
    private readonly times: ConnectionTimes,
  ) {
    server.timeout = times.progress;
    server.on('timeout', (socket: Socket) => this.closeStalled(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.refuse(error, socket));
    if (server instanceof TlsServer) {
      // Runs first, while the socket still knows its client.
      server.prependListener('connection', (socket: Socket) => this.addHandshake(socket));
      server.on('secureConnection', (socket) => this.endHandshake(socket));
    } else {
      server.on('connection', (socket) => this.add(socket));
    }
  }

  /** Whether the shutdown has started or been announced: the service is not ready. */
  get isStopping(): boolean {
    return this.announced || this.stopping;
  }

  /** Makes the service report that it is not ready. It continues to serve every request until `close`. */
  announceStop(): void {
    this.announced = true;
  }

  /** Returns the TCP connection of a request's socket: with TLS, the underlying one. */
  transportOf(socket: Socket): Socket {
    return this.transports.get(socket) ?? socket;
  }

  /**
   * Registers a request; called before any other code handles it.
   * @returns whether to serve the request; otherwise its connection has been closed
   */
  begin(response: ServerResponse): boolean {
    if (this.stopping) response.setHeader('Connection', 'close');
    return response.socket !== null || this.isWithinPipelineLimit(response);
  }

  /**
   * Allows a request to take longer to arrive than the server's `requestTimeout`, which applies to all requests. Its handler
   * limits it; a client that makes no progress is still cut off.
   */
  allowSlowRequest(response: ServerResponse): void {
    this.long.add(response);
  }

  /**
   * Ends all connections. Requests under way, and those that arrive during the shutdown, get a response with `Connection: close`;
   * connections still open after the grace period are cut off.
   * @param lingers whether idle connections stay open briefly, for requests in transit
   */
  close(lingers: boolean): Promise<void> {
    this.closed ??= this.closeAll(lingers ? Math.min(MAX_LINGER_MS, this.times.grace / 2) : 0);
    return this.closed;
  }

  /** Node delivers all requests of a received chunk at once, possibly thousands. A connection with too many is closed. */
  private isWithinPipelineLimit(response: ServerResponse): boolean {
    const { socket } = response.req;
    const count = this.pipelined.get(socket) ?? 0;
    if (count >= MAX_PIPELINED) socket.destroy();
    if (socket.destroyed) return false;
    this.pipelined.set(socket, count + 1);
    response.once('socket', () => this.pipelined.set(socket, (this.pipelined.get(socket) ?? 0) - 1));
    return true;
  }

  private async closeAll(linger: number): Promise<void> {
    this.stopping = true;
    for (const socket of this.open) {
      const response = currentResponse(socket);
      if (response && !response.headersSent) response.setHeader('Connection', 'close');
    }
    const cutOff = setTimeout(() => this.server.closeAllConnections(), this.times.grace);
    if (linger > 0) await this.whenEmpty(linger);
    // The server does not know these connections, and would wait for them.
    for (const { socket } of this.handshakes.values()) socket.destroy();
    await new Promise((resolve) => {
      // Closes the idle connections.
      this.server.close(resolve);
      // Earlier responses promised to keep their connections open: each is closed as soon as it is idle.
      this.server.keepAliveTimeout = 1;
    });
    clearTimeout(cutOff);
  }

  /** Resolves when no connection is open, or after a limit in milliseconds. */
  private async whenEmpty(limit: number): Promise<void> {
    if (this.open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limit);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Closes the connection of a client that does not finish its handshake in time, whatever it sends. */
  private addHandshake(socket: Socket): void {
    const client = clientOf(socket);
    const timer = setTimeout(() => socket.destroy(), this.times.handshake);
    const handshake = { socket, timer };
    this.handshakes.set(client, handshake);
    socket.once('close', () => this.forget(client, handshake));
  }

  private endHandshake(socket: Socket): void {
    const client = clientOf(socket);
    const handshake = this.handshakes.get(client);
    if (handshake) {
      this.transports.set(socket, handshake.socket);
      this.forget(client, handshake);
    }
    this.add(socket);
  }

  private forget(client: string, handshake: Handshake): void {
    clearTimeout(handshake.timer);
    // The client's port may have been reused.
    if (this.handshakes.get(client) === handshake) this.handshakes.delete(client);
  }

  private add(socket: Socket): void {
    this.open.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      if (this.open.size === 0) this.onEmpty?.();
    });
  }

  /** Same as Node without a listener, except for the body and for long requests. A client that does not read is not waited for. */
  private refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const response = currentResponse(socket);
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && response && this.long.has(response)) return;
    const answer = refusalOf(error.code);
    if (answer !== undefined && socket.writable && !response?.headersSent) socket.write(answer);
    socket.destroy(error);
  }

  /** Closes a connection without progress, unless the service itself is still working on its request. */
  private closeStalled(socket: Socket): void {
    const { bytesRead } = socket;
    // After a stall of this process, timers run before it reads what has arrived meanwhile.
    setImmediate(() => {
      if (socket.bytesRead > bytesRead) return;
      const response = currentResponse(socket);
      if (!response || !isHandlerWorking(socket, response)) socket.destroy();
    });
  }
}

/**
 * Returns the response that a connection is waiting for. Node keeps it on the socket until it is sent; a copy here would add a
 * cost to every request, and keep the last response of idle connections in memory.
 */
const currentResponse = (socket: Socket): ServerResponse | null | undefined =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;

/** Whether the client has done its part: it has sent its request, and has read everything written so far. */
const isHandlerWorking = (socket: Socket, { req: request }: ServerResponse): boolean =>
  socket.writableLength === 0 && (request.complete || request.readableLength > 0);
