import { maxHeaderSize } from 'node:http';
import fc from 'fast-check';
import { checkConformance, type DocumentedOperation, documentedOperations } from '../conformance';
import { RawConnection } from '../raw';
import { populate, type Population, type Target } from './population';
import { type FuzzRequest, requestsTo } from './requests';

/** Requests to each operation before the population is recreated, because some remove what others refer to. */
const REQUESTS_IN_ROUND = 12;
const ANSWER_TIMEOUT_MS = 20_000;

/** Statuses of Node's own responses to malformed HTTP. */
const BARE_STATUSES = [400, 408, 431];

/** Start of the error message on a server without git. */
const NO_GIT = 'Git is not available on the server: ';

/** Number of requests by status of the response; 0 for no response. */
export type Statuses = Map<number, number>;

/**
 * Sends requests generated from the OpenAPI document, equally many to every operation, and checks every response against it.
 * @param seed the same seed gives the same requests
 * @param isChosen selects operations; all by default
 * @throws with the steps to reproduce, on a response of 5xx, one that is not as documented, or none where there must be one
 */
export async function fuzz(
  target: Target,
  seed: number,
  requests: number,
  isChosen: (operation: DocumentedOperation) => boolean = () => true,
): Promise<Statuses> {
  const statuses: Statuses = new Map();
  // Operations that remove much come last.
  const operations = documentedOperations.filter(isChosen).sort((a, b) => rank(a) - rank(b));
  const perOperation = Math.ceil(requests / operations.length);
  for (let round = 0; round * REQUESTS_IN_ROUND < perOperation; round++) {
    const population = await populate(target, round);
    const numRuns = Math.min(REQUESTS_IN_ROUND, perOperation - round * REQUESTS_IN_ROUND);
    for (const [index, operation] of operations.entries()) {
      const property = fc.asyncProperty(
        requestsTo(operation, new URL(target.baseUrl).pathname, population),
        async (request) => {
          const status = await check(target, population, request);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        },
      );
      const options = { seed: seed + round * 1000 + index, numRuns, endOnFailure: true };
      const details = await fc.check(property, options);
      if (details.failed) {
        const [request] = details.counterexample ?? [];
        throw new Error(
          `${operation.operation.operationId}, round ${round}, FUZZ_SEED=${seed}:\n${shown(request)}\n${String(details.errorInstance)}`,
        );
      }
    }
  }
  return statuses;
}

const rank = ({ method, path }: DocumentedOperation): number =>
  method === 'delete' ? 1 / path.split('/').length : 0;

/** Sends a request, checks the response and returns its status; 0 for no response. */
async function check(target: Target, population: Population, request: FuzzRequest): Promise<number> {
  const answer = await send(target, population, request);
  if (!answer) {
    if (request.framing === 'right' || request.framing === 'chunked') throw new Error('There is no answer.');
    return 0;
  }
  const isWithoutGit =
    !target.fill && answer.status === 503 && (request.method === 'HEAD' || answer.text.includes(NO_GIT));
  if (answer.status >= 500 && !isWithoutGit)
    throw new Error(`The answer is ${answer.status} ${answer.text.slice(0, 500)}`);
  const isBare = answer.text === '' && BARE_STATUSES.includes(answer.status);
  const isTooLong = request.path.length > maxHeaderSize && answer.status === 431;
  if (isBare && (request.framing !== 'right' || isTooLong)) return answer.status;
  const { pathname } = new URL(target.baseUrl);
  const path = request.path.startsWith(pathname) ? request.path.slice(pathname.length) : request.path;
  checkConformance(request.method, path, answer);
  return answer.status;
}

async function send(
  target: Target,
  population: Population,
  request: FuzzRequest,
): ReturnType<RawConnection['answer']> {
  const connection = await RawConnection.open(target.baseUrl);
  const timer = setTimeout(() => connection.destroy(), ANSWER_TIMEOUT_MS);
  try {
    const { head, body, ends } = framed(population, request);
    const all = Buffer.concat([head, body]);
    if (request.framing === 'aborted') {
      await new Promise((resolve) =>
        connection.socket.write(all.subarray(0, head.length + (request.body.length >> 1)), resolve),
      );
      return undefined;
    }
    connection.write(all);
    if (ends) connection.socket.end();
    return await connection.answer(request.method);
  } finally {
    clearTimeout(timer);
    connection.destroy();
  }
}

/** Returns the bytes of a request; `ends` when the client must close its side after sending them. */
function framed(
  { keys }: Population,
  { method, path, caller, credential, contentType, body, framing }: FuzzRequest,
): { head: Buffer; body: Buffer; ends: boolean } {
  const key = caller === 'none' ? undefined : (keys[caller] ?? 'x'.repeat(54));
  const isInQuery = key !== undefined && credential === 'query';
  const target = isInQuery ? `${path}${path.includes('?') ? '&' : '?'}apiKey=${key}` : path;
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close'];
  if (key !== undefined && credential === 'header') lines.push(`X-API-Key: ${key}`);
  if (key !== undefined && credential === 'bearer') lines.push(`Authorization: Bearer ${key}`);
  if (contentType !== undefined) lines.push(`Content-Type: ${contentType}`);
  const length = (bytes: number): void => void lines.push(`Content-Length: ${bytes}`);
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
  const chunks = body.length > 0 ? chunk : Buffer.alloc(0);
  const last = Buffer.from('0\r\n\r\n');
  let sent = body;
  switch (framing) {
    case 'right':
      if (body.length > 0) length(body.length);
      break;
    case 'too short a length':
      length(body.length >> 1);
      break;
    case 'aborted':
    case 'too long a length':
      length(body.length + 10);
      break;
    case 'two lengths':
      length(body.length);
      length(body.length + 1);
      break;
    case 'broken header':
      length(body.length);
      lines.push('Bad Header\0: x');
      break;
    default:
      lines.push('Transfer-Encoding: chunked');
      if (framing === 'length and chunks') length(body.length);
      sent = Buffer.concat([chunks, framing === 'broken chunk' ? Buffer.from('zz\r\nx') : last]);
      if (framing === 'open chunk') sent = chunks;
  }
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return { head, body: sent, ends: framing !== 'right' && framing !== 'chunked' };
}

const shown = (request: FuzzRequest | undefined): string =>
  request === undefined
    ? 'no request'
    : JSON.stringify(
        { ...request, body: request.body.toString('latin1'), bodyInBase64: request.body.toString('base64') },
        undefined,
        2,
      );

/** Returns the seed of a run and prints it: `FUZZ_SEED`, or always the same by default. `FUZZ_SEED=random` chooses a new one each time. */
export function chooseSeed(): number {
  const given = process.env.FUZZ_SEED ?? '1';
  const seed = given === 'random' ? Math.floor(Math.random() * 2 ** 30) : Number(given);
  process.stdout.write(`FUZZ_SEED=${seed}\n`);
  return seed;
}
