import { type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** How long kept-alive connections stay open at stop, so that a request on its way gets an answer, in milliseconds. */
const MAX_LINGER_MS = 2000;
/** Most requests of one connection that wait for the answers to those before them. */
const MAX_PIPELINED = 32;

/** How long the server waits for a connection, in milliseconds. */
export interface ConnectionTimes {
  /** From connecting to the end of the TLS handshake, if there is one. */
  handshake: number;
  /** Without any progress while an answer is being sent or a body received. */
  progress: number;
  /** From the stop to the end of every connection. */
  grace: number;
}

/** A TCP connection whose TLS handshake has not ended. */
interface Handshake {
  socket: Socket;
  timer: NodeJS.Timeout;
}

/** The answers to what Node cannot read as a request, by the codes of its errors; 400 to the others of its parser. */
const BARE_ANSWERS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

/** Undefined for what has happened to the connection itself, such as a failed handshake. */
function bareAnswer(code = ''): string | undefined {
  const status = BARE_ANSWERS[code] ?? (code.startsWith('HPE_') ? '400 Bad Request' : undefined);
  return status && `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
}

const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/**
 * The connections of the HTTP server: closes those on which the client makes no progress, and ends all of them at stop,
 * whatever they do.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  /** TCP connections during their TLS handshake, by client address and port: Node does not tell which one became which. */
  private readonly handshakes = new Map<string, Handshake>();
  /** Answers to requests that may take longer than an upload to arrive. */
  private readonly long = new WeakSet<ServerResponse>();
  private readonly transports = new WeakMap<Socket, Socket>();
  /** How many requests of a connection wait for the answers to those before them. */
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
      // First, while the socket still knows its client.
      server.prependListener('connection', (socket: Socket) => this.addHandshake(socket));
      server.on('secureConnection', (socket) => this.endHandshake(socket));
    } else {
      server.on('connection', (socket) => this.add(socket));
    }
  }

  /** Whether the stop has begun or been announced: the service is not ready. */
  get isStopping(): boolean {
    return this.announced || this.stopping;
  }

  /** Has the service say that it is not ready. Everything is served as before, until `close`. */
  announceStop(): void {
    this.announced = true;
  }

  /** The TCP connection of a request's socket: with TLS, the one below it. */
  transportOf(socket: Socket): Socket {
    return this.transports.get(socket) ?? socket;
  }

  /**
   * Called with every request, before anything else looks at it.
   * @returns whether it is to be served; its connection is closed otherwise
   */
  begin(response: ServerResponse): boolean {
    if (this.stopping) response.setHeader('Connection', 'close');
    return response.socket !== null || this.isInLine(response);
  }

  /**
   * Lets a request take longer to arrive than the server's `requestTimeout`, which is the same for all. Its handler limits it; a client
   * that makes no progress is cut off as ever.
   */
  allowLong(response: ServerResponse): void {
    this.long.add(response);
  }

  /**
   * Ends all connections. Requests under way, and those that arrive meanwhile, get an answer with `Connection: close`; what
   * is left after the grace is cut off.
   * @param lingers whether idle connections stay open for a moment, for the requests that are on their way
   */
  close(lingers: boolean): Promise<void> {
    this.closed ??= this.closeAll(lingers ? Math.min(MAX_LINGER_MS, this.times.grace / 2) : 0);
    return this.closed;
  }

  /** Node hands over all requests of what has arrived at once, which may be thousands. A connection with too many is closed. */
  private isInLine(response: ServerResponse): boolean {
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
      const response = answerUnderWay(socket);
      if (response && !response.headersSent) response.setHeader('Connection', 'close');
    }
    const cutOff = setTimeout(() => this.server.closeAllConnections(), this.times.grace);
    if (linger > 0) await this.whenEmpty(linger);
    // The server knows nothing of these, and would wait for them.
    for (const { socket } of this.handshakes.values()) socket.destroy();
    await new Promise((resolve) => {
      // Closes the idle ones.
      this.server.close(resolve);
      // Answers sent before the stop promised to keep the connection: it is closed as soon as it is idle.
      this.server.keepAliveTimeout = 1;
    });
    clearTimeout(cutOff);
  }

  /** Resolves when no connection is open, or after a time in milliseconds. */
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

  /** A client that does not finish its handshake in time is cut off, whatever it sends meanwhile. */
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
    // The client's port may be in use again.
    if (this.handshakes.get(client) === handshake) this.handshakes.delete(client);
  }

  private add(socket: Socket): void {
    this.open.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      if (this.open.size === 0) this.onEmpty?.();
    });
  }

  /** As Node does without a listener, but for long requests. */
  private refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const response = answerUnderWay(socket);
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && response && this.long.has(response)) return;
    const answer = bareAnswer(error.code);
    if (answer !== undefined && socket.writable && !response?.headersSent) socket.write(answer);
    socket.destroy(error);
  }

  /** No progress on the connection for a while, which may be because the service itself is at work. */
  private closeStalled(socket: Socket): void {
    const response = answerUnderWay(socket);
    if (!response || !isServiceAtWork(socket, response)) socket.destroy();
  }
}

/**
 * The answer that a connection waits for. Node keeps it on the socket until it is sent; a copy here would cost every request, and
 * keep the last answer of idle connections alive.
 */
const answerUnderWay = (socket: Socket): ServerResponse | null | undefined =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;

/** Whether the client has done its part: it has sent its request, and has taken what there was to take. */
const isServiceAtWork = (socket: Socket, { req: request }: ServerResponse): boolean =>
  socket.writableLength === 0 && (request.complete || request.readableLength > 0);
