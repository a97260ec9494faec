import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ConnectionOptions, type Server, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type MockInstance } from 'vitest';
import { RoleType } from '../../src/access/role-type';
import { AttachmentLinksService } from '../../src/attachments/attachment-links.service';
import { AttachmentsService } from '../../src/attachments/attachments.service';
import { EnvironmentError, readEnvironment } from '../../src/config/environment';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { Certificate } from '../../src/http/server/certificate';
import { type ServiceAdapter } from '../../src/http/server/service-adapter';
import { ISSUE_FILES } from '../../src/issues/attachments/issue-files';
import { startTestServer, type TestServer } from '../../src/testing';
import { makeCertificate, storeCertificate, type TestCertificate } from '../support/certificates';
import { RawConnection } from '../support/raw-connection';
import { eventually } from '../support/webhooks';

const LARGE_FILE = 24 * 1024 * 1024;
const MAX_CONNECTIONS = 6;
/** The id of DEMO-1. */
const DEMO_ISSUE = 1;

describe('TLS', () => {
  let folder: string;
  let server: TestServer;
  let first: TestCertificate;
  let second: TestCertificate;
  const opened: Socket[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tls-'));
    [first, second] = await Promise.all([makeCertificate('first'), makeCertificate('second')]);
    // As Kubernetes mounts secrets: the files are links into a folder that is itself a link.
    await useRelease('one', first);
    await symlink('one', join(folder, 'live'));
    server = await startTestServer({
      environment: {
        TLS_CERT: join(folder, 'live/cert.pem'),
        TLS_KEY: join(folder, 'live/key.pem'),
        HEADERS_TIMEOUT: '1',
        PROGRESS_TIMEOUT: '1',
        SHUTDOWN_GRACE: '2',
        MAX_UNAUTHENTICATED_CONNECTIONS: String(MAX_CONNECTIONS),
        MAX_FILE_SIZE: String(LARGE_FILE),
      },
    });
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    const http = adapter().getHttpServer() as Server;
    const count = promisify(http.getConnections.bind(http));
    await eventually(count, (open) => open === 0);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function useRelease(name: string, certificate: TestCertificate): Promise<void> {
    await mkdir(join(folder, name), { recursive: true });
    await storeCertificate(join(folder, name), certificate);
  }

  const adapter = (): ServiceAdapter => server.app.get(HttpAdapterHost<ServiceAdapter>).httpAdapter;
  const trusted = (): ConnectionOptions => ({ ca: [first.cert, second.cert] });

  async function open(options: ConnectionOptions = {}): Promise<RawConnection> {
    const connection = await RawConnection.open(server.baseUrl, { ...trusted(), ...options });
    opened.push(connection.socket);
    return connection;
  }

  async function openTcp(text = ''): Promise<RawConnection> {
    const connection = await RawConnection.open(server.baseUrl);
    opened.push(connection.socket);
    return connection.send(text);
  }

  const head = (method: string, path: string, ...headers: string[]): string =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      `X-API-Key: ${server.adminKey}`,
      ...headers,
      '',
      '',
    ].join('\r\n');

  /** Returns the common name of the certificate that a new connection receives. */
  async function shown(): Promise<string> {
    const { socket } = await open();
    return (socket as TLSSocket).getPeerCertificate().subject.CN as string;
  }

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'serves %s with https URLs in Link and Location',
    async (version) => {
      const connection = await open({ minVersion: version, maxVersion: version });
      const body = JSON.stringify({ content: `With ${version}` });
      const type = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      connection.send(
        head('POST', '/api/v2/issues/DEMO-1/comments', ...type).replace('localhost', 'evil.example') + body,
      );
      const { origin } = new URL(server.baseUrl);
      expect(origin).toMatch(/^https:/);
      expect(await connection.receives(/\r\n\r\n/)).toMatch(
        new RegExp(`^HTTP/1.1 201 [^]*\r\nLocation: ${origin}/view/`),
      );
      connection.send(head('GET', '/api/v2/issues/DEMO-1/comments?count=1'));
      expect(await connection.receives(/rel="next"/)).toMatch(/\r\nLink: <https:\/\/localhost\/api/);
    },
  );

  it.each(['/health/live', '/api-docs', '/api/v2/users/myself', '/nowhere'])(
    'sends Strict-Transport-Security in the response of %s',
    async (path) => {
      const connection = (await open()).send(head('GET', path));
      expect(await connection.receives(/\r\n\r\n/)).toMatch(
        /\r\nStrict-Transport-Security: max-age=31536000\r\n/i,
      );
    },
  );

  it('refuses older TLS versions and plain HTTP', async () => {
    await expect(
      open({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    ).rejects.toThrow();
    const plain = await openTcp(head('GET', '/health/live'));
    expect(await plain.closed()).not.toContain('HTTP/1.1 200');
  });

  it.each([
    ['sends nothing', ''],
    ['sends its ClientHello too slowly', '\x16\x03\x01\x02\x00\x01\x00'],
  ])('disconnects a client that %s', async (_what, text) => {
    const connection = await openTcp();
    connection.socket.write(text, 'latin1');
    const drip = setInterval(() => text && connection.socket.write('\x00'), 50);
    await connection.closed();
    clearInterval(drip);
  });

  it.each([
    ['no data', ''],
    ['a partial request head', 'GET /health/live HTTP/1.1\r\nHo'],
  ])('closes a connection with %s after the handshake', async (_what, text) => {
    const connection = await open();
    connection.send(text);
    expect(await connection.closed()).toMatch(/^(HTTP\/1.1 408 |$)/);
  });

  it('counts connections of an address from before the handshake until a valid API key', async () => {
    for (let number = 0; number < MAX_CONNECTIONS - 1; number++) await openTcp();
    const known = await open();
    known.send(head('GET', '/api/v2/users/myself'));
    await known.receives(/"userId":"admin"/);
    await open();
    await expect(open()).rejects.toThrow();
  });

  it('closes a download that the client does not read', async () => {
    const attachments = server.app.get(AttachmentsService, { strict: false });
    const links = server.app.get(AttachmentLinksService, { strict: false });
    const admin = { id: 1, roleType: RoleType.Administrator };
    const content = Readable.from([Buffer.alloc(LARGE_FILE, 'a')]);
    const { id } = await attachments.store(admin, 'a.txt', content);
    await server.app
      .get(TransactionsService)
      .run((manager) => links.attach(manager, ISSUE_FILES, DEMO_ISSUE, admin, [id]));
    const deaf = await open();
    deaf.send(head('GET', `/api/v2/issues/DEMO-1/attachments/${id}`));
    deaf.stopReading();
    const [socket] = (await once(adapter().getHttpServer() as Server, 'timeout')) as [Socket];
    if (!socket.closed) await once(socket, 'close');
    expect(socket.bytesWritten).toBeLessThan(LARGE_FILE);
  });

  describe('when the certificate files change', () => {
    const check = (): Promise<void> =>
      adapter().certificate!.check(adapter().getHttpServer() as unknown as Server);
    let error: MockInstance;

    beforeEach(() => {
      error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      vi.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    });
    afterEach(() => vi.restoreAllMocks());

    /** Returns the errors about the certificate; other services of this process may log errors too. */
    const errorsOfCertificate = (): unknown[] =>
      (error.mock.calls as unknown[][]).flat().filter((part) => String(part).includes('certificate'));

    it('uses the new certificate after a link is swapped, keeping open connections', async () => {
      const before = await open();
      expect(await shown()).toBe('first');
      await useRelease('two', second);
      await symlink('two', join(folder, 'next'));
      await rename(join(folder, 'next'), join(folder, 'live'));
      await check();
      await check();
      expect(await shown()).toBe('second');
      before.send(head('GET', '/health/live'));
      await before.receives(/"status":"ok"/);
      expect(errorsOfCertificate()).toEqual([]);
    });

    it('uses a certificate and key that are replaced one after the other', async () => {
      await writeFile(join(folder, 'two/cert.next'), first.cert);
      await rename(join(folder, 'two/cert.next'), join(folder, 'two/cert.pem'));
      await check();
      await writeFile(join(folder, 'two/key.next'), first.key);
      await rename(join(folder, 'two/key.next'), join(folder, 'two/key.pem'));
      await check();
      expect(await shown()).toBe('second');
      await check();
      expect(await shown()).toBe('first');
      expect(errorsOfCertificate()).toEqual([]);
    });

    it('keeps the certificate when a new file is invalid, logging one error', async () => {
      const file = join(folder, 'two/cert.pem');
      for (const [content, message] of [
        [
          'nonsense',
          /^TLS_CERT cannot be used: .*cert\.pem: it does not contain a certificate in PEM; the previous certificate/,
        ],
        [
          second.cert,
          /^TLS_KEY cannot be used: .*key\.pem: it is not the key of the certificate in .*cert\.pem;/,
        ],
        [undefined, /^TLS_CERT cannot be used: .*ENOENT/],
      ] as const) {
        error.mockClear();
        await (content === undefined ? rm(file) : writeFile(file, content));
        for (let times = 0; times < 4; times++) await check();
        expect(error.mock.calls.map(([text]) => text as string)).toEqual([expect.stringMatching(message)]);
        expect(await shown()).toBe('first');
      }
      error.mockClear();
      await writeFile(file, first.cert);
      await check();
      await check();
      expect(errorsOfCertificate()).toEqual([]);
      expect(await shown()).toBe('first');
    });
  });

  describe('with invalid settings', () => {
    const problemsOf = (work: () => unknown): string[] => {
      try {
        work();
        return [];
      } catch (error) {
        if (error instanceof EnvironmentError) return error.problems;
        throw error;
      }
    };

    it.each([
      ['TLS_CERT', 'TLS_KEY must be set as well, because TLS_CERT is'],
      ['TLS_KEY', 'TLS_CERT must be set as well, because TLS_KEY is'],
    ])('refuses %s alone', (name, message) => {
      expect(problemsOf(() => readEnvironment({ [name]: '/file.pem' }))).toEqual([message]);
    });

    it.each([
      ['a missing file', 'TLS_CERT', () => ({ TLS_CERT: '/no/such/cert.pem' }), /no such file/],
      ['a folder', 'TLS_KEY', () => ({ TLS_KEY: folder }), /it is not a file of at most 1 MiB/],
      ['an endless file', 'TLS_CERT', () => ({ TLS_CERT: '/dev/zero' }), /it is not a file of at most 1 MiB/],
      [
        'the key of another certificate',
        'TLS_KEY',
        () => ({ TLS_KEY: join(folder, 'other/key.pem') }),
        /is not the key of/,
      ],
      ['a key', 'TLS_CERT', () => ({ TLS_CERT: join(folder, 'good/key.pem') }), /a certificate in PEM/],
      [
        'a certificate',
        'TLS_KEY',
        () => ({ TLS_KEY: join(folder, 'good/cert.pem') }),
        /a private key in PEM/,
      ],
    ])('refuses %s as %s', async (_what, name, changed, message) => {
      await useRelease('good', first);
      await useRelease('other', second);
      const good = { TLS_CERT: join(folder, 'good/cert.pem'), TLS_KEY: join(folder, 'good/key.pem') };
      expect(new Certificate(good).validTo.getTime()).toBeGreaterThan(Date.now());
      const settings = { ...good, ...changed() };
      const problems = problemsOf(() => new Certificate(settings));
      expect(problems).toEqual([expect.stringMatching(message)]);
      expect(problems[0]).toMatch(
        new RegExp(`^${name} cannot be used: ${settings[name as keyof typeof good]}: `),
      );
    });
  });

  it('closes handshakes and connections when the service stops', async () => {
    const [handshaking, idle] = [await openTcp(), await open()];
    await server.close();
    await Promise.all([handshaking.closed(), idle.closed()]);
  });
});
