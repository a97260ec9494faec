import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ApiResponse } from './api';

/** A request as raw bytes, for cases that no client library can send. */
export interface RawRequest {
  method: string;
  /** From the root of the server. */
  path: string;
  headers?: Readonly<Record<string, string | number>>;
  /** The bytes after the head, whatever the headers announce. */
  body?: string | Uint8Array;
}

/** A connection for raw bytes; the server closes it, or `destroy` does. */
export class RawConnection {
  private received: Buffer[] = [];
  readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.received.push(chunk));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /**
   * Connects to the server of a `baseUrl`.
   * @param allowHalfOpen whether it may continue to send after the server has ended its side
   */
  static async open(baseUrl: string, allowHalfOpen = false): Promise<RawConnection> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Returns the response once it is complete; undefined when the connection ends without one. */
  async answer(method = 'GET'): Promise<ApiResponse | undefined> {
    for (;;) {
      const isClosed = this.socket.closed;
      const answer = parseAnswer(Buffer.concat(this.received), isClosed, method === 'HEAD');
      if (answer || isClosed) return answer;
      await Promise.race([once(this.socket, 'data').catch(() => undefined), this.closed]);
    }
  }
}

/** Returns the bytes of a request. */
export function bytesOf({ method, path, headers = {}, body = '' }: RawRequest): Buffer {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const head = `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body as Uint8Array)]);
}

/** Sends a request on a new connection and returns the response, if there is one. */
export async function sendRaw(baseUrl: string, request: RawRequest): Promise<ApiResponse | undefined> {
  const connection = await RawConnection.open(baseUrl);
  try {
    connection.write(bytesOf(request));
    return await connection.answer(request.method);
  } finally {
    connection.destroy();
  }
}

/** Parses a response with a length, in chunks, without a body, or ended by its connection. */
function parseAnswer(bytes: Buffer, isClosed: boolean, isHead: boolean): ApiResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = bytes.subarray(end + 4);
  if (status === 100) return parseAnswer(rest, isClosed, isHead);
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const length = isHead ? '0' : headers.get('content-length');
  const isChunked = length === null && headers.get('transfer-encoding') === 'chunked';
  const whole = isChunked ? joinChunks(rest) : rest;
  const isWhole = whole !== undefined && (length === null || whole.length >= Number(length));
  if (!isWhole && (isChunked || !isClosed)) return undefined;
  const content = whole ?? rest;
  const text = content.toString('utf8', 0, length === null ? content.length : Number(length));
  const isFile = headers.has('content-disposition');
  const isJson =
    !isFile && headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return { status, headers, text, body: isJson ? (JSON.parse(text) as unknown) : text || undefined };
}

/** Returns the content of a chunked body; undefined before its last chunk. */
function joinChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let start = 0; ;) {
    const end = bytes.indexOf('\r\n', start);
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', start, end), 16);
    if (size === 0) return Buffer.concat(chunks);
    const next = end + 2 + size + 2;
    if (bytes.length < next) return undefined;
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    start = next;
  }
}
