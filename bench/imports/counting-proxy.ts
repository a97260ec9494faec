import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { classOf } from '../../src/sources/backlog/backlog-source';
import { BASE_PATH } from '../support/processes';
import { type Workspace } from '../support/workspace';

const TOO_MANY = 429;
const MINUTE = 60;

/** Stands before a source, and counts the requests that it accepts by their classes. */
export class CountingProxy {
  private readonly counts = new Map<string, number>();
  private first?: number;
  private last = 0;

  private constructor(private readonly server: Server) {}

  static async start(workspace: Workspace, origin: string): Promise<CountingProxy> {
    const server = createServer();
    const proxy = new CountingProxy(server);
    server.on('request', (incoming, outgoing) => {
      const forwarded = request(`${origin}${incoming.url ?? ''}`, {
        method: incoming.method,
        headers: incoming.headers,
      });
      forwarded.on('response', (answer) => {
        if (answer.statusCode !== TOO_MANY) proxy.count(incoming.url ?? '');
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      // A killed command leaves requests behind.
      forwarded.on('error', () => outgoing.destroy());
      outgoing.on('close', () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    workspace.defer(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Seconds between the first and the last request. */
  get seconds(): number {
    return (this.last - (this.first ?? this.last)) / 1000;
  }

  /** Returns how many seconds the limits per minute make the requests take at least. */
  dictated(limits: Readonly<Record<string, number>>): number {
    const times = Object.entries(limits).map(
      ([name, limit]) => (Math.ceil((this.counts.get(name) ?? 0) / limit) - 1) * MINUTE,
    );
    return Math.max(1, ...times);
  }

  private count(url: string): void {
    this.last = performance.now();
    this.first ??= this.last;
    if (!url.startsWith(BASE_PATH)) return;
    const name = classOf(url.slice(BASE_PATH.length));
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
