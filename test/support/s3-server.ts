import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import S3rver from '@20minutes/s3rver';

/** What goes wrong with a request to the bucket. */
export type Fault =
  /** The connection breaks while the request comes in. */
  | { kind: 'cut-request' }
  /** Nothing answers. */
  | { kind: 'silence' }
  /** The server does what it is asked to, and the connection breaks before its answer. */
  | { kind: 'lost-answer' }
  /** The server answers with an error. */
  | { kind: 'error'; status: number; code: string; bucketRegion?: string }
  /** The connection breaks after the first bytes of the answer's body. */
  | { kind: 'cut-answer'; after: number };

/** An access key of the server. */
export const S3_KEY = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** A server with the protocol of S3 and a bucket `files`, behind a proxy at which anything can go wrong. */
export class S3Server {
  /** Requests that have arrived: `PUT ab/…`. */
  readonly calls: string[] = [];
  /** Requests that have no whole answer yet. */
  underWay = 0;
  /** Decides what goes wrong with a request. */
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

  /** The `STORAGE_URL` of the bucket, or of another. */
  url(prefix = '', bucket = 'files'): string {
    return `s3://${bucket}${prefix}?endpoint=http://127.0.0.1:${this.port}`;
  }

  /** Gives up all faults, and what has been recorded. */
  reset(): void {
    this.fault = () => undefined;
    this.calls.length = 0;
  }

  /** Has the next requests of a method fail. */
  failNext(method: string, fault: Fault, times = 1): void {
    let left = times;
    this.fault = (given) => (given === method && left-- > 0 ? fault : undefined);
  }

  /** Refuses connections from here on. */
  async shut(): Promise<void> {
    this.proxy.closeAllConnections();
    this.proxy.close();
    await once(this.proxy, 'close');
  }

  /** Accepts connections, at the same address as before. */
  async open(): Promise<void> {
    this.proxy = createServer((incoming, response) => void this.pass(incoming, response));
    this.proxy.listen(this.port, '127.0.0.1');
    await once(this.proxy, 'listening');
    this.port = (this.proxy.address() as AddressInfo).port;
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

/** Passes the first bytes on, and breaks the connection. */
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
