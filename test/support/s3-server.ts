import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import S3rver from '@20minutes/s3rver';
import { freePort } from '../../bench/support/free-port';

/** A simulated fault of a request to the bucket. */
export type Fault =
  /** The connection breaks while the request is being received. */
  | { kind: 'cut-request' }
  /** No response is sent. */
  | { kind: 'silence' }
  /** The server carries out the request, but the connection breaks before the response. */
  | { kind: 'lost-answer' }
  /** The server responds with an error. */
  | { kind: 'error'; status: number; code: string; bucketRegion?: string }
  /** The connection breaks after the first bytes of the response body. */
  | { kind: 'cut-answer'; after: number };

/** An access key of the server. */
export const S3_KEY = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** An S3-compatible server with a bucket `files`, behind a proxy that simulates faults. */
export class S3Server {
  /** Requests received, as in `PUT ab/…`. */
  readonly calls: string[] = [];
  /** Number of requests without a complete response. */
  underWay = 0;
  /** Returns the fault of a request, if any. */
  fault: (method: string, path: string) => Fault | undefined = () => undefined;
  private proxy: Server;
  private port = 0;

  private constructor(
    private readonly folder: string,
    private readonly server: S3rver,
    private readonly target: AddressInfo,
  ) {}

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'project-management-s3-'));
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'files' }],
    });
    const started = new S3Server(folder, server, await server.run());
    await started.open();
    return started;
  }

  /** Returns the `STORAGE_URL` of the bucket, or of another one. */
  url(prefix = '', bucket = 'files'): string {
    return `s3://${bucket}${prefix}?endpoint=http://127.0.0.1:${this.port}`;
  }

  /** Clears all faults and recorded requests. */
  reset(): void {
    this.fault = () => undefined;
    this.calls.length = 0;
  }

  /** Makes the next requests of a method fail. */
  failNext(method: string, fault: Fault, times = 1): void {
    let left = times;
    this.fault = (given) => (given === method && left-- > 0 ? fault : undefined);
  }

  /** Refuses connections from now on. */
  async shut(): Promise<void> {
    this.proxy.closeAllConnections();
    this.proxy.close();
    await once(this.proxy, 'close');
  }

  /** Accepts connections again, at the same address. */
  async open(): Promise<void> {
    this.proxy = createServer((incoming, response) => void this.pass(incoming, response));
    this.port ||= await freePort();
    this.proxy.listen(this.port, '127.0.0.1');
    await once(this.proxy, 'listening');
  }

  async stop(): Promise<void> {
    if (this.proxy.listening) await this.shut();
    await this.server.close();
    await rm(this.folder, { recursive: true });
  }

  private async pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', socket } = incoming;
    this.calls.push(`${method} ${url}`);
    this.underWay++;
    response.once('close', () => this.underWay--);
    const fault = this.fault(method, url);
    if (fault?.kind === 'silence') {
      incoming.resume();
      return;
    }
    if (fault?.kind === 'cut-request') {
      if (Number(incoming.headers['content-length'] ?? 0) > 0) await once(incoming, 'data');
      socket.destroy();
      return;
    }
    if (fault?.kind === 'error') {
      incoming.resume();
      await once(incoming, 'end');
      response.writeHead(fault.status, {
        'content-type': 'application/xml',
        ...(fault.bucketRegion && { 'x-amz-bucket-region': fault.bucketRegion }),
      });
      response.end(method === 'HEAD' ? undefined : `<Error><Code>${fault.code}</Code></Error>`);
      return;
    }
    const { port, address } = this.target;
    const forwarded = request({ host: address, port, method, path: url, headers: incoming.headers });
    pipeline(incoming, forwarded, () => undefined);
    forwarded.on('error', () => socket.destroy());
    forwarded.on('response', (answer) => {
      if (fault?.kind === 'lost-answer') {
        answer.resume().once('end', () => socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (fault?.kind === 'cut-answer') void cutAfter(answer, response, fault.after);
      else pipeline(answer, response, () => undefined);
    });
  }
}

/** Forwards the first bytes, and breaks the connection. */
async function cutAfter(answer: IncomingMessage, response: ServerResponse, count: number): Promise<void> {
  const [first] = (await once(answer, 'data')) as [Buffer];
  response.write(first.subarray(0, count), () => response.destroy());
  answer.destroy();
}

/** Starts a server before the tests of a suite, and stops it after them. */
export function useS3Server(): () => S3Server {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterEach(() => server.reset());
  afterAll(() => server.stop());
  return () => server;
}
