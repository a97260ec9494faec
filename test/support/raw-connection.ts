import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

/** A TCP or TLS connection on which a test sends arbitrary bytes. */
export class RawConnection {
  private text = '';
  private ended = false;
  private waiting: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('data', (data: string) => {
      this.text += data;
      this.wake();
    });
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
  }

  /**
   * @param origin such as `http://127.0.0.1:3000`; a path is ignored
   * @param tls options of a TLS connection
   */
  static async open(origin: string, tls?: ConnectionOptions): Promise<RawConnection> {
    const { hostname, port } = new URL(origin);
    if (tls) {
      const secured = connectTls({ host: hostname, port: Number(port), ...tls });
      await once(secured, 'secureConnect');
      return new RawConnection(secured);
    }
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Whether either side has closed the connection. */
  get isClosed(): boolean {
    return this.ended;
  }

  /** Everything received so far. */
  get received(): string {
    return this.text;
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Stops reading, so that the other side cannot send either. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  /** Resolves with everything received once it matches. */
  async receives(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.ended) throw new Error(`Closed after ${JSON.stringify(this.text)}`);
      await this.next();
    }
    return this.text;
  }

  /** Resolves with everything received when the connection is closed. */
  async closed(): Promise<string> {
    while (!this.ended) await this.next();
    return this.text;
  }

  /** Resolves when data has arrived, or the connection has been closed. */
  private next(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
