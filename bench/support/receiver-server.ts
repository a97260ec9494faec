import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** The requests accepted with one `webhook-id` at one path. */
export interface Received {
  path: string;
  messageId: string;
  /** The payload's `id`. */
  activityId: number;
  /** The id of the payload's comment; 0 without a comment. */
  commentId: number;
  /** SHA-256 of the payload. */
  digest: string;
  count: number;
  /** Whether two requests with this id had different payloads. */
  isMixed: boolean;
  /** Arrival of the first request, in milliseconds since 1970, with fractions. */
  firstAt: number;
}

/** The commands of the receiver. */
export type ReceiverQuestion = 'count' | 'records' | 'clear';

/** The number of accepted requests, and the arrival of the first and the last of them. */
export interface ReceiverCount {
  accepted: number;
  /** Without repeated requests. */
  different: number;
  refused: number;
  firstAt: number;
  lastAt: number;
}

/** Prefix of paths that refuse one request in `FLAKY_EVERY`. */
const FLAKY = '/flaky';
const FLAKY_EVERY = 20;
/** Prefix of paths that never respond. */
const HANGING = '/hanging';

const records = new Map<string, Received>();
const count: ReceiverCount = { accepted: 0, different: 0, refused: 0, firstAt: 0, lastAt: 0 };

const now = (): number => performance.timeOrigin + performance.now();

function remember(path: string, messageId: string, body: string): void {
  const at = now();
  count.accepted++;
  if (count.accepted === 1) count.firstAt = at;
  count.lastAt = at;
  const digest = createHash('sha256').update(body).digest('base64');
  const key = `${path} ${messageId}`;
  const known = records.get(key);
  if (known) {
    known.count++;
    known.isMixed ||= known.digest !== digest;
    return;
  }
  count.different++;
  records.set(key, {
    path,
    messageId,
    activityId: Number(/^\{"id":(\d+)/.exec(body)?.[1]),
    commentId: Number(/"comment":\{"id":(\d+)/.exec(body)?.[1] ?? 0),
    digest,
    count: 1,
    isMixed: false,
    firstAt: at,
  });
}

function answer(question: ReceiverQuestion): unknown {
  if (question === 'count') return count;
  if (question === 'records') return [...records.values()];
  records.clear();
  Object.assign(count, { accepted: 0, different: 0, refused: 0, firstAt: 0, lastAt: 0 });
  return null;
}

let requests = 0;
const server = createServer((request, response) => {
  const path = request.url ?? '';
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (path.startsWith(HANGING)) return;
    if (path.startsWith(FLAKY) && ++requests % FLAKY_EVERY === 0) {
      count.refused++;
      response.writeHead(503).end();
      return;
    }
    remember(path, String(request.headers['webhook-id']), Buffer.concat(chunks).toString('utf8'));
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', (question: ReceiverQuestion) => process.send?.(answer(question)));
// The parent process has ended.
process.on('disconnect', () => process.exit());
