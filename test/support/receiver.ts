import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A complete request that arrived. */
export interface ReceivedRequest {
  method: string;
  headers: IncomingHttpHeaders;
  /** The raw text. */
  body: string;
}

/** The response of an endpoint; 200 with an empty body by default. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Whether the response waits until the endpoint is released. */
  isHeld?: boolean;
  /** Sends a byte of the body at intervals, without end. */
  isDripping?: boolean;
  /** Closes the connection instead. */
  isClosing?: boolean;
  /** Closes the connection after the body, before the response ends. */
  isCutOff?: boolean;
}

const DRIP_INTERVAL_MS = 50;
const LONGEST_WAIT_MS = 20_000;

/** One address of a receiver, with its own responses. */
export class Endpoint {
  readonly requests: ReceivedRequest[] = [];
  private held: (() => void)[] = [];
  private readonly watchers = new Set<() => void>();

  constructor(
    readonly url: string,
    private answers: readonly Answer[],
  ) {}

  /** Sets the responses from now on: they are sent in turn, the last one repeatedly. */
  answerWith(...answers: Answer[]): void {
    this.answers = answers;
  }

  /** Number of requests that wait for a response. */
  get heldCount(): number {
    return this.held.length;
  }

  /** Responds to every held request. */
  release(): void {
    for (const answer of this.held.splice(0)) answer();
  }

  /** Returns the first `count` requests, once they have arrived. */
  async received(count: number): Promise<ReceivedRequest[]> {
    await this.waitFor((requests) => requests.length >= count);
    return this.requests.slice(0, count);
  }

  /** Resolves when the received requests satisfy a condition. */
  waitFor(isEnough: (requests: readonly ReceivedRequest[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.watchers.delete(look);
        reject(new Error(`Not what was waited for at ${this.url}: ${this.requests.length} requests`));
      }, LONGEST_WAIT_MS);
      const look = (): void => {
        if (!isEnough(this.requests)) return;
        clearTimeout(timer);
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  /** Called by the receiver: records a request and responds to it. */
  take(request: ReceivedRequest, response: ServerResponse): void {
    const [answer = {}] = this.answers;
    if (this.answers.length > 1) this.answers = this.answers.slice(1);
    this.requests.push(request);
    if (answer.isHeld) this.held.push(() => write(response, answer));
    else write(response, answer);
    for (const look of [...this.watchers]) look();
  }
}

/** An HTTP server that receives webhooks. */
export class Receiver {
  private readonly endpoints = new Map<string, Endpoint>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server, (server.address() as AddressInfo).port);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', headers, url = '' } = request;
        const body = Buffer.concat(chunks).toString('utf8');
        const endpoint = receiver.endpoints.get(url);
        if (endpoint) endpoint.take({ method, headers, body }, response);
        else write(response, { status: 404 });
      });
    });
    return receiver;
  }

  /** Adds an endpoint; its responses are sent in turn, the last one repeatedly. */
  endpoint(...answers: Answer[]): Endpoint {
    const path = `/hooks/${this.endpoints.size + 1}`;
    const endpoint = new Endpoint(`http://127.0.0.1:${this.port}${path}`, answers);
    this.endpoints.set(path, endpoint);
    return endpoint;
  }

  /** Closes every connection. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** Gives access to the receiver once it has started. */
export interface Listening {
  readonly receiver: Receiver;
}

/** Starts a receiver before the tests of a suite, or of a `describe`, and stops it after them. */
export function useReceiver(): Listening {
  let receiver: Receiver | undefined;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver?.stop());
  return {
    get receiver() {
      if (!receiver) throw new Error('The receiver starts with the tests.');
      return receiver;
    },
  };
}

function write(response: ServerResponse, answer: Answer): void {
  if (answer.isClosing) {
    response.destroy();
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers);
  if (answer.isCutOff) {
    response.write(answer.body, () => response.destroy());
    return;
  }
  if (!answer.isDripping) {
    response.end(answer.body);
    return;
  }
  const timer = setInterval(() => response.write('.'), DRIP_INTERVAL_MS);
  response.once('close', () => clearInterval(timer));
}
