import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type Request, type Response } from 'express';
import { DomainError } from '../../errors/domain-errors';
import { toErrorResponse } from '../../errors/error-response';
import { loopTurns } from '../../event-loop/loop-turns';
import { Form, MAX_ENTRIES } from './form';
import { MAX_BODY_SIZE, readBody } from './request-body';
import { slowDown, turnsOf } from '../../../test/support/slow-turns';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=B';

const multipart = (...parts: [head: string, content: string | Buffer][]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--B\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content as Buffer),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--B--\r\n'),
  ]);

const shown = (body: unknown): unknown => (body instanceof Form ? Object.fromEntries(body.entries) : body);

describe(readBody.name, () => {
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      readBody(Object.assign(request as Request, { originalUrl: '/' }), response as Response).then(
        (body) => response.end(JSON.stringify({ read: shown(body) })),
        (error: unknown) => {
          const { status, body } = toErrorResponse(error);
          const isKnown = error instanceof DomainError;
          response.writeHead(status).end(JSON.stringify({ isKnown, ...body.errors[0] }));
        },
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const send = async (
    type: string | undefined,
    body: string | Buffer | ReadableStream | undefined,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; answer: object }> => {
    const { port } = server.address() as AddressInfo;
    const init: RequestInit & { duplex?: 'half' } = {
      method: 'POST',
      headers: { ...(type !== undefined && { 'Content-Type': type }), ...headers },
      body: body as RequestInit['body'],
      duplex: 'half',
    };
    const response = await fetch(`http://127.0.0.1:${port}`, init);
    return { status: response.status, answer: (await response.json()) as object };
  };

  const read = (value: unknown): object => ({ status: 200, answer: { read: value } });
  const refused = (status: number, code: number): object => ({
    status,
    answer: expect.objectContaining({ isKnown: true, code }) as object,
  });

  it.each([
    ['a JSON object', JSON_TYPE, '{"a":[1,null]}', { a: [1, null] }],
    ['JSON null', JSON_TYPE, 'null', null],
    ['a JSON string', JSON_TYPE, '"text"', 'text'],
    ['JSON with a capitalised media type', 'Application/JSON', '{"a":1}', { a: 1 }],
    ['JSON with a charset', 'application/json; charset=UTF-8', '{"a":"ä"}', { a: 'ä' }],
    ['JSON with the other name of its charset', 'application/json; charset=utf8', '{"a":"ä"}', { a: 'ä' }],
    ['JSON with an incomplete media type parameter', 'application/json;', '{"a":1}', { a: 1 }],
    ['a form without its credential', FORM_TYPE, 'a=1&apiKey=secret', { a: ['1'] }],
    [
      'a multipart form without its credential',
      MULTIPART_TYPE,
      multipart(['name="apiKey"', 'secret'], ['name="a"', '1']),
      { a: ['1'] },
    ],
    ['a form', FORM_TYPE, 'a=1&b[]=%F0%9F%98%80', { a: ['1'], b: ['😀'] }],
    [
      'a form that names a charset',
      `${FORM_TYPE}; charset=ISO-8859-1`,
      'a=ä&b=%C3%A4',
      { a: ['ä'], b: ['ä'] },
    ],
    [
      'a multipart form',
      MULTIPART_TYPE,
      multipart(['name="a"', 'ä'], ['name="b[]"', '1']),
      { a: ['ä'], b: ['1'] },
    ],
    ['a multipart form without fields', MULTIPART_TYPE, '--B--\r\n', {}],
  ])('reads %s', async (_name, type, body, value) => {
    expect(await send(type, body)).toEqual(read(value));
  });

  it.each([JSON_TYPE, FORM_TYPE, MULTIPART_TYPE, 'text/plain', undefined])(
    'reads a missing body with the content type %s as an empty object',
    async (type) => {
      expect(await send(type, undefined)).toEqual(read({}));
    },
  );

  it('reads a compressed body and limits its decompressed size', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    expect(await send(JSON_TYPE, gzipSync('{"a":1}'), gzip)).toEqual(read({ a: 1 }));
    const bomb = gzipSync(Buffer.alloc(MAX_BODY_SIZE * 4, ' '));
    expect(await send(JSON_TYPE, bomb, gzip)).toEqual(refused(413, 10));
  });

  it.each([
    ['broken JSON', JSON_TYPE, '{"a":'],
    ['JSON that is not UTF-8', JSON_TYPE, Buffer.from([0x22, 0xff, 0x22])],
    ['JSON in Latin-1', 'application/json; charset=latin1', '{}'],
    ['JSON in UTF-16', 'application/json; charset=utf-16le', Buffer.from('{"a":1}', 'utf16le')],
    [
      'JSON in UTF-16 with too many entries',
      'application/json; charset=utf-16le',
      Buffer.from(`["\u2261"${',1'.repeat(MAX_ENTRIES)}]`, 'utf16le'),
    ],
    ['JSON in UTF-7', 'application/json; charset=utf-7', '{}'],
    ['a form that is not UTF-8', FORM_TYPE, 'a=%FF'],
    [
      'a multipart form that is not UTF-8',
      MULTIPART_TYPE,
      multipart(['name="a"', Buffer.from([0x41, 0xff])]),
    ],
    ['a multipart form with a file', MULTIPART_TYPE, multipart(['name="a"; filename="a.txt"', 'x'])],
    [
      'a truncated multipart form',
      MULTIPART_TYPE,
      '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
    ],
    ['a multipart form without its boundary', 'multipart/form-data', multipart(['name="a"', 'x'])],
    [
      'a multipart form with another boundary',
      'multipart/form-data; boundary=C',
      multipart(['name="a"', 'x']),
    ],
    ['an unsupported content type', 'text/plain', '{}'],
    ['a content type named like a method', 'toString', '{}'],
    ['an empty content type', '', Buffer.from('{}')],
    ['an unknown content encoding', JSON_TYPE, '{}', { 'Content-Encoding': 'zip' }],
    ['a body that does not match its content encoding', JSON_TYPE, '{}', { 'Content-Encoding': 'gzip' }],
  ])('refuses %s with 400', async (_name, type, body, headers: Record<string, string> = {}) => {
    expect(await send(type, body, headers)).toEqual(refused(400, 7));
  });

  it.each([
    ['JSON over the size limit', JSON_TYPE, `"${'x'.repeat(MAX_BODY_SIZE)}"`],
    ['a form over the size limit', FORM_TYPE, `a=${'x'.repeat(MAX_BODY_SIZE)}`],
    [
      'a multipart form over the size limit',
      MULTIPART_TYPE,
      multipart(['name="a"', 'x'.repeat(MAX_BODY_SIZE)]),
    ],
    ['a multipart preamble over the size limit', MULTIPART_TYPE, Buffer.alloc(MAX_BODY_SIZE + 1, 'x')],
    ['a form with too many fields', FORM_TYPE, 'a&'.repeat(MAX_ENTRIES)],
    ['a form with too many values', FORM_TYPE, 'a[]=1&'.repeat(MAX_ENTRIES)],
    [
      'a multipart form with too many fields',
      MULTIPART_TYPE,
      multipart(...Array<[string, string]>(MAX_ENTRIES + 1).fill(['name=a', ''])),
    ],
    ['a JSON list with too many values', JSON_TYPE, `[${'1,'.repeat(MAX_ENTRIES)}1]`],
    ['a JSON object with too many fields', JSON_TYPE, `{${'"a":1,'.repeat(MAX_ENTRIES)}"a":1}`],
    ['too many nested JSON lists', JSON_TYPE, '['.repeat(MAX_ENTRIES + 1)],
  ])('refuses %s with 413', async (_name, type, body) => {
    expect(await send(type, body)).toEqual(refused(413, 10));
  });

  it.each<[string, string, string | Buffer]>([
    ['a form', FORM_TYPE, `a=1${'&a=1'.repeat(MAX_ENTRIES - 1)}`],
    [
      'a multipart form',
      MULTIPART_TYPE,
      multipart(...Array<[string, string]>(MAX_ENTRIES).fill(['name=a', '1'])),
    ],
    ['JSON', JSON_TYPE, `{"a":[1${',1'.repeat(MAX_ENTRIES - 3)}]}`],
  ])('reads %s with the maximum number of entries', async (_name, type, body) => {
    expect((await send(type, body)).status).toBe(200);
  });

  /** Reads a body that has arrived. */
  const readArrived = (type: string, body: Buffer): Promise<unknown> => {
    const headers = { 'content-type': type, 'content-length': String(body.length) };
    const request = Object.assign(Readable.from([body]), { headers, originalUrl: '/' });
    return readBody(request as unknown as Request, {} as Response);
  };

  describe('on a slow processor', () => {
    beforeEach(() => slowDown(10));
    afterEach(() => vi.restoreAllMocks());

    it('yields to the event loop while parsing a large form', async () => {
      const form = multipart(['name=a', 'x'.repeat(MAX_BODY_SIZE - 200)]);
      expect(await turnsOf(() => readArrived(MULTIPART_TYPE, form))).toBeGreaterThan(20);
    });

    it('parses simultaneous bodies in separate turns of the event loop', async () => {
      const all = await Promise.all(
        Array.from({ length: 3 }, () => turnsOf(() => readArrived(JSON_TYPE, Buffer.from('{"a":1}')))),
      );
      expect(new Set(all).size).toBe(3);
    });
  });

  describe.each([
    ['JSON', JSON_TYPE, (text: string) => `{"a":"${text}"}`],
    ['a form', FORM_TYPE, (text: string) => `a=${text}`],
  ])('with %s', (_name, type, bodyOf) => {
    afterEach(() => vi.restoreAllMocks());

    it('gives way to others before a large body is decoded, parsed and handed over', async () => {
      const pause = vi.spyOn(loopTurns, 'pause');
      await readArrived(type, Buffer.from(bodyOf('x'.repeat(40_000))));
      expect(pause).toHaveBeenCalledTimes(3);
    });

    it('gives way to others once for a small body', async () => {
      const pause = vi.spyOn(loopTurns, 'pause');
      await readArrived(type, Buffer.from(bodyOf('x')));
      expect(pause).toHaveBeenCalledOnce();
    });

    it('decodes half a million emoji in eight slices', async () => {
      const text = '😀'.repeat(MAX_BODY_SIZE / 4 - 10);
      const nextSlice = vi.spyOn(loopTurns, 'nextSlice');
      expect(shown(await readArrived(type, Buffer.from(bodyOf(text))))).toEqual({
        a: type === FORM_TYPE ? [text] : text,
      });
      expect(nextSlice).toHaveBeenCalledTimes(7);
    });
  });

  it('reads a body of exactly the size limit', async () => {
    const text = 'x'.repeat(MAX_BODY_SIZE - 2);
    expect(await send(JSON_TYPE, `"${text}"`)).toEqual(read(text));
  });

  it('reads the whole text of a multipart form of the size limit', async () => {
    const overhead = multipart(['name="a"', '']).length;
    const text = 'x'.repeat(MAX_BODY_SIZE - overhead);
    expect(await send(MULTIPART_TYPE, multipart(['name="a"', text]))).toEqual(read({ a: [text] }));
  });

  it('refuses a chunked body over the size limit with 413', async () => {
    let chunksLeft = 40;
    const chunks = new ReadableStream({
      pull: (controller) => {
        if (chunksLeft-- > 0) controller.enqueue(Buffer.alloc(MAX_BODY_SIZE / 32, ' '));
        else controller.close();
      },
    });
    expect(await send(JSON_TYPE, chunks)).toEqual(refused(413, 10));
  });

  it('rejects with a DomainError when the client has disconnected', async () => {
    const gone = {
      headers: { 'content-type': JSON_TYPE, 'content-length': '2' },
      destroyed: true,
      complete: false,
    };
    await expect(readBody(gone as unknown as Request, {} as Response)).rejects.toBeInstanceOf(DomainError);
  });
});
