import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

/** A TCP or TLS connection on which a test says what it likes, byte by byte. */
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
   * @param origin such as `http://127.0.0.1:3000`; a path is left out
   * @param tls how to connect with TLS
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

  /** Whether either side has closed it. */
  get isClosed(): boolean {
    return this.ended;
  }

  /** All that has been received. */
  get received(): string {
    return this.text;
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Takes nothing any more, so that the other side gets nothing out either. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  /** Resolves with all that was received when it matches. */
  async receives(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.ended) throw new Error(`Closed after ${JSON.stringify(this.text)}`);
      await this.next();
    }
    return this.text;
  }

  /** Resolves with all that was received when the connection is closed. */
  async closed(): Promise<string> {
    while (!this.ended) await this.next();
    return this.text;
  }

  /** Resolves when something has come, or it has been closed. */
  private next(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
