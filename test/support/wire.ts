import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response as received over a connection. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A TCP connection to a service, for what no HTTP client does. Every response must have a `Content-Length`. */
export class Wire {
  private received = '';
  private isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  static async open(baseUrl: string): Promise<Wire> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Wire(socket);
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Sends the head of a request without a body. */
  request(method: string, path: string, headers: Record<string, string> = {}): void {
    const lines = Object.entries({ Host: 'service', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    this.send(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  /** Returns the next response; undefined when the connection is closed without one. */
  async answer(): Promise<WireAnswer | undefined> {
    for (;;) {
      const answer = this.parse();
      if (answer || this.isClosed) return answer;
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
  }

  /** Resolves when the service has closed the connection. */
  async closed(): Promise<void> {
    if (!this.isClosed) await once(this.socket, 'close');
  }

  close(): void {
    this.socket.destroy();
  }

  private parse(): WireAnswer | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [start = '', ...lines] = this.received.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.split(':', 1)[0]?.toLowerCase() ?? '',
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers['content-length'] ?? 0);
    if (this.received.length < end + 4 + length) return undefined;
    const body = this.received.slice(end + 4, end + 4 + length);
    this.received = this.received.slice(end + 4 + length);
    return { status: Number(start.split(' ')[1]), headers, body };
  }
}
