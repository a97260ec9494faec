import { once } from 'node:events';
import { createServer, request as openRequest, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Request } from 'express';
import { InvalidRequestError, TooLargeFileError } from '../errors/domain-errors';
import { type FileReceiver, receiveFile } from './upload-reader';

const LIMIT = 100_000;

type Part = [head: string, content: string];
type Received = [name: string, size: number];

const file = (content: string, name = 'a.txt'): Part => [`name="file"; filename="${name}"`, content];

const multipart = (...parts: Part[]): Buffer =>
  Buffer.from(
    parts
      .map(([head, content]) => `--B\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`)
      .join('') + '--B--\r\n',
  );

const measure: FileReceiver<Received> = async (name, content) => [name, (await buffer(content)).length];

describe(receiveFile.name, () => {
  let server: Server;
  let outcome: Promise<PromiseSettledResult<Received>>;
  let receive: FileReceiver<Received>;

  beforeEach(async () => {
    receive = measure;
    server = createServer();
    outcome = new Promise((resolve) => {
      server.once('request', (request, response) => {
        const received = receiveFile(request as Request, LIMIT, (name, content) => receive(name, content));
        void Promise.allSettled([received]).then(([result]) => {
          response.end();
          resolve(result);
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const open = (type: string, length: number) => {
    const { port } = server.address() as AddressInfo;
    const request = openRequest({
      port,
      method: 'POST',
      headers: { 'Content-Type': type, 'Content-Length': length },
    });
    request.on('error', () => undefined);
    return request;
  };

  const send = (body: Buffer, type = 'multipart/form-data; boundary=B') => {
    open(type, body.length).end(body);
    return outcome;
  };

  const received = (name: string, size: number): object => ({ status: 'fulfilled', value: [name, size] });
  const refused = (type: new (...parameters: never[]) => Error): object => ({
    status: 'rejected',
    reason: expect.any(type) as Error,
  });

  it.each([0, 1, LIMIT - 1, LIMIT])('passes a file of %d bytes to the receiver', async (size) => {
    expect(await send(multipart(file('x'.repeat(size))))).toEqual(received('a.txt', size));
  });

  it.each([
    ['a non-ASCII name', 'übung 😀.txt', 'übung 😀.txt'],
    ['the last segment of a path', '../../etc/passwd', 'passwd'],
    ['the last segment of a Windows path', 'C:\\\\temp\\\\x.txt', 'x.txt'],
  ])('passes %s as the file name', async (_what, given, name) => {
    expect(await send(multipart(file('x', given)))).toEqual(received(name, 1));
  });

  it('fails with TooLargeFileError over the limit, also for the receiver', async () => {
    let seen: unknown;
    receive = (name, content) =>
      measure(name, content).catch((error: unknown) => {
        seen = error;
        throw error;
      });
    expect(await send(multipart(file('x'.repeat(LIMIT + 1))))).toEqual(refused(TooLargeFileError));
    expect(seen).toBeInstanceOf(TooLargeFileError);
  });

  it.each([
    ['a field before the file', multipart(['name="note"', 'x'], file('x'))],
    ['a field after the file', multipart(file('x'), ['name="note"', 'x'])],
    ['a file in another field', multipart(['name="other"; filename="a"', 'x'])],
    ['two files', multipart(file('x'), file('y'))],
    ['a form without parts', Buffer.from('--B--\r\n')],
    ['a truncated form', multipart(file('x')).subarray(0, -8)],
    ['a body that is not a form', Buffer.from('{}')],
  ])('refuses %s', async (_name, body) => {
    expect(await send(body)).toEqual(refused(InvalidRequestError));
  });

  it.each(['application/json', 'multipart/form-data', 'multipart/mixed; boundary=B'])(
    'refuses the content type %s',
    async (type) => {
      expect(await send(multipart(file('x')), type)).toEqual(refused(InvalidRequestError));
    },
  );

  it('fails with the error of a receiver that reads nothing', async () => {
    receive = () => Promise.reject(new Error('disk full'));
    expect(await send(multipart(file('x'.repeat(LIMIT))))).toEqual({
      status: 'rejected',
      reason: new Error('disk full'),
    });
  });

  it('waits for the receiver to clean up when the client disconnects', async () => {
    const events: string[] = [];
    const begun = new Promise<void>((resolve) => {
      receive = async (name, content) => {
        content.once('readable', resolve);
        try {
          return await measure(name, content);
        } finally {
          await new Promise((tick) => setImmediate(tick));
          events.push('cleaned up');
        }
      };
    });
    const request = open('multipart/form-data; boundary=B', LIMIT);
    request.write(multipart(file('x'.repeat(1000))).subarray(0, 500));
    await begun;
    request.destroy();
    const result = await outcome.finally(() => events.push('over'));
    expect(result).toEqual(refused(InvalidRequestError));
    expect(events).toEqual(['cleaned up', 'over']);
  });

  it('fails when the client has already disconnected', async () => {
    const gone: Readable = new PassThrough().destroy();
    const headers = { 'content-type': 'multipart/form-data; boundary=B' };
    const request = Object.assign(gone, { headers }) as unknown as Request;
    await expect(receiveFile(request, LIMIT, measure)).rejects.toBeInstanceOf(InvalidRequestError);
  });
});
