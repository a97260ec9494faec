import { once } from 'node:events';
import { createServer, request as openRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Request, type Response } from 'express';
import { FileAnswer, sendFile } from './file-answer';
import { onResponseEnd } from './response-end';

const fileOf = (content: string, name = 'a.txt'): FileAnswer =>
  new FileAnswer({
    name,
    size: Buffer.byteLength(content),
    open: () => Promise.resolve(Readable.from([Buffer.from(content)])),
  });

describe(sendFile.name, () => {
  let server: Server;
  let file: FileAnswer;
  let outcome: Promise<PromiseSettledResult<void>>;

  beforeEach(async () => {
    server = createServer();
    outcome = new Promise((resolve) => {
      server.once('request', (request, response) => {
        const sent = sendFile(Object.assign(response, { req: request as Request }) as Response, file);
        void Promise.allSettled([sent]).then(([result]) => {
          resolve(result);
          if (!response.headersSent && !response.destroyed) response.writeHead(500).end();
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const open = async (method = 'GET', headers: Record<string, string> = {}): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const request = openRequest({ port, method, headers, agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };

  it('streams a file of unknown size with the given content type', async () => {
    const content = (): Readable => Readable.from([Buffer.from('one'), Buffer.from('two')]);
    file = new FileAnswer({
      name: 'a.html',
      contentType: 'text/plain; charset=utf-8',
      open: () => Promise.resolve(content()),
    });
    const response = await open();
    expect(await buffer(response)).toEqual(Buffer.from('onetwo'));
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
    });
    expect(response.headers).not.toHaveProperty('content-length');
  });

  it.each([
    ['"x"', 200],
    ['"hash"', 304],
    ['W/"hash"', 304],
    ['"a", "hash"', 304],
    ['hash', 200],
  ])('answers If-None-Match %s with %d', async (known, status) => {
    const openFile = vi.fn(() => Promise.resolve(Readable.from([Buffer.from('x')])));
    file = new FileAnswer({ name: 'a.txt', size: 1, entityTag: 'hash', open: openFile });
    const response = await open('GET', { 'If-None-Match': known });
    expect(response.statusCode).toBe(status);
    expect(await buffer(response)).toEqual(Buffer.from(status === 200 ? 'x' : ''));
    expect(response.headers).toMatchObject({ etag: '"hash"', 'cache-control': 'private, no-cache' });
    expect(openFile).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
  });

  it('sends a file to a response with twelve end listeners without a leak warning', async () => {
    file = fileOf('content');
    let listeners = { count: 0, max: 0 };
    server.prependOnceListener('request', (request, raw) => {
      const response = Object.assign(raw, { req: request as Request }) as Response;
      for (let i = 0; i < 12; i++) onResponseEnd(response, () => undefined);
      listeners = { count: response.listenerCount('close'), max: response.getMaxListeners() };
    });
    expect(await buffer(await open())).toEqual(Buffer.from('content'));
    expect(listeners).toEqual({ count: 12, max: 0 });
  });

  it('sends the content as an attachment with a sandboxing Content-Security-Policy', async () => {
    file = fileOf('content');
    const response = await open();
    expect(await buffer(response)).toEqual(Buffer.from('content'));
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '7',
      'content-disposition': "attachment; filename*=UTF-8''a.txt",
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
    expect(await outcome).toMatchObject({ status: 'fulfilled' });
  });

  it.each([
    ['Größe 😀.txt', 'Gr%C3%B6%C3%9Fe%20%F0%9F%98%80.txt'],
    [`a'(b)*!"; x=y.html`, 'a%27%28b%29%2A!%22%3B%20x%3Dy.html'],
    ['a\r\nSet-Cookie: b', 'a%0D%0ASet-Cookie%3A%20b'],
    ['../../etc/passwd', '..%2F..%2Fetc%2Fpasswd'],
  ])('encodes the file name %j in Content-Disposition', async (name, encoded) => {
    file = fileOf('', name);
    const { headers } = await open();
    expect(headers['content-disposition']).toBe(`attachment; filename*=UTF-8''${encoded}`);
    expect(decodeURIComponent(encoded)).toBe(name);
  });

  it('sends an empty file', async () => {
    file = fileOf('');
    const response = await open();
    expect(response.headers['content-length']).toBe('0');
    expect(await buffer(response)).toHaveLength(0);
  });

  it('answers HEAD without opening the file', async () => {
    const openFile = vi.fn();
    file = new FileAnswer({ name: 'a.txt', size: 5, open: openFile });
    const response = await open('HEAD');
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
    });
    expect(openFile).not.toHaveBeenCalled();
  });

  it('rejects before sending headers when the file cannot be opened', async () => {
    file = new FileAnswer({ name: 'a.txt', size: 5, open: () => Promise.reject(new Error('Gone.')) });
    const response = await open();
    expect(response.statusCode).toBe(500);
    expect(response.headers).not.toHaveProperty('content-disposition');
    expect(await outcome).toMatchObject({ status: 'rejected', reason: { message: 'Gone.' } });
  });

  const failing = (): Readable => {
    const content = new PassThrough();
    content.write('abc', () => setImmediate(() => content.destroy(new Error('Bad disk.'))));
    return content;
  };

  it.each<[string, () => Readable, string]>([
    ['fails midway', failing, 'Bad disk.'],
    ['is shorter than its size', () => Readable.from([Buffer.from('abc')]), 'does not have the size'],
    [
      'is longer than its size',
      () => Readable.from([Buffer.from('abc'), Buffer.from('defg')]),
      'does not have the size',
    ],
  ])('closes the connection when the file %s', async (_what, content, message) => {
    file = new FileAnswer({ name: 'a.txt', size: 5, open: () => Promise.resolve(content()) });
    const download = open().then(buffer);
    await expect(download).rejects.toThrow(/aborted|hang up/);
    expect(await outcome).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining(message) as string },
    });
  });

  it('closes the file and resolves when the client disconnects', async () => {
    const content = new PassThrough();
    content.write('abc');
    file = new FileAnswer({ name: 'a.txt', size: 5, open: () => Promise.resolve(content) });
    const response = await open();
    response.destroy();
    expect(await outcome).toMatchObject({ status: 'fulfilled' });
    expect(content.destroyed).toBe(true);
  });

  it('closes a file that opens after the client has disconnected', async () => {
    const content = new PassThrough();
    let connection: IncomingMessage['socket'] | undefined;
    server.once('connection', (socket: IncomingMessage['socket']) => (connection = socket));
    file = new FileAnswer({
      name: 'a.txt',
      size: 5,
      open: async () => {
        connection?.destroy();
        await once(connection as IncomingMessage['socket'], 'close');
        return content;
      },
    });
    await expect(open()).rejects.toThrow('hang up');
    expect(await outcome).toMatchObject({ status: 'fulfilled' });
    expect(content.destroyed).toBe(true);
  });
});
