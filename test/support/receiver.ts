import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A request that arrived, whole. */
export interface ReceivedRequest {
  method: string;
  headers: IncomingHttpHeaders;
  /** As it came over the wire. */
  body: string;
}

/** How an endpoint answers; 200 with an empty body unless it says otherwise. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Answers when the endpoint is released, and not before. */
  isHeld?: boolean;
  /** Sends a byte of the body now and then, and never ends it. */
  isDripping?: boolean;
  /** Closes the connection instead. */
  isClosing?: boolean;
}

const DRIP_INTERVAL_MS = 50;
const LONGEST_WAIT_MS = 20_000;

/** One address of a receiver, with answers of its own. */
export class Endpoint {
  readonly requests: ReceivedRequest[] = [];
  private held: (() => void)[] = [];
  private readonly watchers = new Set<() => void>();

  constructor(
    readonly url: string,
    private answers: readonly Answer[],
  ) {}

  /** Answers from now on: in turn, the last one again and again. */
  answerWith(...answers: Answer[]): void {
    this.answers = answers;
  }

  /** How many requests wait for an answer. */
  get heldCount(): number {
    return this.held.length;
  }

  /** Answers every request that is held. */
  release(): void {
    for (const answer of this.held.splice(0)) answer();
  }

  /** The first so many requests, as soon as they have arrived. */
  async received(count: number): Promise<ReceivedRequest[]> {
    await this.waitFor((requests) => requests.length >= count);
    return this.requests.slice(0, count);
  }

  /** Resolves when what has arrived is enough. */
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

  /** For the receiver: takes a request and answers it. */
  take(request: ReceivedRequest, response: ServerResponse): void {
    const [answer = {}] = this.answers;
    if (this.answers.length > 1) this.answers = this.answers.slice(1);
    this.requests.push(request);
    if (answer.isHeld) this.held.push(() => write(response, answer));
    else write(response, answer);
    for (const look of [...this.watchers]) look();
  }
}

/** An HTTP server that webhooks are sent to. */
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

  /** A new address; its answers are given in turn, the last one again and again. */
  endpoint(...answers: Answer[]): Endpoint {
    const path = `/hooks/${this.endpoints.size + 1}`;
    const endpoint = new Endpoint(`http://127.0.0.1:${this.port}${path}`, answers);
    this.endpoints.set(path, endpoint);
    return endpoint;
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** Where the receiver is found once it has started. */
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
  if (!answer.isDripping) {
    response.end(answer.body);
    return;
  }
  const timer = setInterval(() => response.write('.'), DRIP_INTERVAL_MS);
  response.once('close', () => clearInterval(timer));
}
