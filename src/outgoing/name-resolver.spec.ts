import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { untrustedResolver } from './name-resolver';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const NAME_ERROR = 3;
const UNKNOWN = 'unknown.invalid';

/** Returns a name server's answer: one address, or that the name does not exist. */
function answerTo(query: Buffer): Buffer {
  let end = HEADER_BYTES;
  for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) end += length + 1;
  const isUnknown = query.toString('latin1').includes('unknown');
  const hasAnswer = !isUnknown && query.readUInt16BE(end + 1) === TYPE_A;
  const head = Buffer.from(query.subarray(0, HEADER_BYTES));
  head.writeUInt16BE(0x8180 | (isUnknown ? NAME_ERROR : 0), 2);
  head.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const record = Buffer.of(0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7);
  return Buffer.concat([head, query.subarray(HEADER_BYTES, end + 5), ...(hasAnswer ? [record] : [])]);
}

describe(untrustedResolver.name, () => {
  const ADDRESSES = [{ address: '192.0.2.7', family: 4 }];
  const held: (() => void)[] = [];
  let server: Socket;
  let servers: string[];

  beforeAll(async () => {
    server = createSocket('udp4');
    server.on('message', (query, { port, address }) => {
      const answer = (): void => server.send(answerTo(query), port, address);
      if (query.toString('latin1').includes('slow')) held.push(answer);
      else answer();
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    servers = [`127.0.0.1:${server.address().port}`];
  });

  afterAll(() => {
    server.close();
  });

  it('returns the addresses that the name server knows', async () => {
    await expect(untrustedResolver({ servers, timeout: 30_000, tries: 1 })('known.example')).resolves.toEqual(
      ADDRESSES,
    );
  });

  it('asks the system for a name without a dot', async () => {
    const addresses = await untrustedResolver({ servers, timeout: 30_000, tries: 1 })('localhost');
    expect(addresses).toEqual(await lookup('localhost', { all: true }));
  });

  it('asks the system for what the name server does not know', async () => {
    const resolve = untrustedResolver({ servers, timeout: 30_000, tries: 1 });
    await expect(resolve(UNKNOWN)).rejects.toMatchObject({ syscall: 'getaddrinfo' });
  });

  it('reports a name server that does not answer in time', async () => {
    const resolve = untrustedResolver({ servers, timeout: 50, tries: 1 });
    await expect(resolve('slow.example')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    held.length = 0;
  });

  it('resolves other names while a hundred are not answered', async () => {
    const resolve = untrustedResolver({ servers, timeout: 60_000, tries: 1 });
    const slow = Array.from({ length: 100 }, (_, index) => resolve(`slow-${index}.example`));
    await expect(resolve('known.example')).resolves.toEqual(ADDRESSES);
    await lookup('localhost');
    await vi.waitUntil(() => held.length >= 2 * slow.length, { timeout: 60_000 });
    for (const answer of held) answer();
    for (const one of slow) await expect(one).resolves.toEqual(ADDRESSES);
  });

  it('asks the system for one name at a time, also after a failure', async () => {
    const asked: string[] = [];
    const answers = new EventEmitter();
    const resolve = untrustedResolver({ servers, timeout: 30_000, tries: 1 }, async (hostname) => {
      asked.push(hostname);
      const [error] = (await once(answers, hostname)) as [Error | undefined];
      if (error) throw error;
      return ADDRESSES;
    });
    const [first, second, third] = ['first', 'second', 'third'].map(resolve) as [
      Promise<unknown>,
      Promise<unknown>,
      Promise<unknown>,
    ];
    // A name that a name server knows does not wait for them.
    await expect(resolve('known.example')).resolves.toEqual(ADDRESSES);
    expect(asked).toEqual(['first']);
    answers.emit('first', new Error('It is not known.'));
    await expect(first).rejects.toThrow('It is not known.');
    await vi.waitUntil(() => asked.length > 1);
    expect(asked).toEqual(['first', 'second']);
    answers.emit('second');
    await expect(second).resolves.toEqual(ADDRESSES);
    await vi.waitUntil(() => asked.length > 2);
    answers.emit('third');
    await expect(third).resolves.toEqual(ADDRESSES);
    expect(asked).toEqual(['first', 'second', 'third']);
  });
});
