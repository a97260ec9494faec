import { type ApiResponse } from '../support/api';
import { documentedOperations } from '../support/conformance';
import { CASES_ENVIRONMENT, TESTED_OPERATIONS } from '../support/operations';
import { RawConnection as TextConnection } from '../support/raw-connection';
import { bytesOf, RawConnection, type RawRequest, sendRaw } from '../support/raw';
import { everythingStored } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MULTIPART = 'multipart/form-data; boundary=b';
const DISPOSITION = 'Content-Disposition: form-data; ';

const part = (head: string, content = 'x'): string => `--b\r\n${head}\r\n\r\n${content}\r\n`;
const END = '--b--\r\n';

/** Forms that no parser can read. */
const BROKEN_FORMS: [string, string][] = [
  ['a truncated file in an unknown field', `--b\r\n${DISPOSITION}name="x"; filename="a"\r\n\r\nhello`],
  ['a truncated file', `--b\r\n${DISPOSITION}name="file"; filename="a"\r\n\r\nhello`],
  ['a truncated field', `--b\r\n${DISPOSITION}name="content"\r\n\r\nhello`],
  ['a truncated part header', `--b\r\n${DISPOSITION}name="con`],
  ['an invalid part header', part('\0')],
  ['an invalid part header after a file', part(`${DISPOSITION}name="file"; filename="a"`) + part('\0') + END],
  ['a truncated part header after a file', `${part(`${DISPOSITION}name="file"; filename="a"`)}--b\r\nX`],
  ['a part without headers', '--b\r\n\r\nx\r\n--b--\r\n'],
  ['a part without a name', part('Content-Disposition: form-data') + END],
  ['a file without a field name', part('Content-Disposition: form-data; filename="a"') + END],
  ['a part with an empty name', part(`${DISPOSITION}name=""`) + END],
  ['a part with another disposition', part('Content-Disposition: attachment; name="content"') + END],
  ['a part with a malformed disposition', part(`${DISPOSITION}name="content`) + END],
  ['a part without disposition', part('Content-Type: text/plain') + END],
  ['a binary part without disposition', part('Content-Type: application/octet-stream') + END],
  [
    'a part without a name after a file',
    part(`${DISPOSITION}name="file"; filename="a"`) + part('Content-Disposition: form-data') + END,
  ],
  [
    'a part without disposition after a file',
    part(`${DISPOSITION}name="file"; filename="a"`) + part('Content-Type: text/plain') + END,
  ],
  [
    'a file after a part without a name',
    part('Content-Disposition: form-data') + part(`${DISPOSITION}name="file"; filename="a"`) + END,
  ],
  ['the start of a boundary alone', '--b'],
  ['a body without a boundary', 'hello'],
  ['a line break alone', '\r\n'],
];

describe('reading request bodies', () => {
  const tested = useWorld(CASES_ENVIRONMENT);
  let project: ProjectFixture;
  let member: Person;

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const basePath = (): string => new URL(tested.world.server.baseUrl).pathname;
  const send = (request: RawRequest): Promise<ApiResponse | undefined> =>
    sendRaw(tested.world.server.baseUrl, request);
  const post = (
    path: string,
    body: string | Uint8Array,
    type = MULTIPART,
  ): Promise<ApiResponse | undefined> =>
    send({
      method: 'POST',
      path: basePath() + path,
      headers: {
        'X-API-Key': member.key,
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(body),
        Connection: 'close',
      },
      body,
    });
  const comments = (): string => `/issues/${project.issueKey}/comments`;

  describe('of malformed multipart forms', () => {
    it.each(BROKEN_FORMS)('answers 400 to %s when a form is expected', async (_what, body) => {
      const before = await everythingStored(tested.world);
      const answer = await post(comments(), body);
      expect(answer?.status).toBe(400);
      expect((answer?.body as { errors: { code: number }[] }).errors[0]?.code).toBe(7);
      expect(await everythingStored(tested.world)).toEqual(before);
    });

    it.each(BROKEN_FORMS)('answers 400 to %s when a file is expected', async (_what, body) => {
      const before = await everythingStored(tested.world);
      const answer = await post('/space/attachment', body);
      expect(answer?.status).toBe(400);
      expect((answer?.body as { errors: { code: number }[] }).errors[0]?.code).toBe(7);
      expect(await everythingStored(tested.world)).toEqual(before);
    });

    it.each(['', '=', '=""', `=${'b'.repeat(71)}`])('answers 400 to the boundary %j', async (boundary) => {
      for (const path of [comments(), '/space/attachment']) {
        const answer = await post(
          path,
          part(`${DISPOSITION}name="content"`) + END,
          `multipart/form-data; boundary${boundary}`,
        );
        expect(answer?.status).toBe(400);
      }
    });
  });

  it.each(BROKEN_FORMS)('continues after a connection that ends within %s', async (_what, body) => {
    for (const path of [comments(), '/space/attachment']) {
      const connection = await RawConnection.open(tested.world.server.baseUrl);
      const headers = {
        'X-API-Key': member.key,
        'Content-Type': MULTIPART,
        'Content-Length': body.length + 10,
      };
      connection.write(bytesOf({ method: 'POST', path: basePath() + path, headers, body }));
      connection.socket.end();
      await connection.closed;
    }
    expect((await member.api.get('/users/myself')).status).toBe(200);
  });

  describe('of operations that take no body', () => {
    const HEADERS = {
      'a Content-Length': { 'Content-Length': 1_000_000 },
      'a chunked body': { 'Transfer-Encoding': 'chunked' },
      'a multipart body': { 'Content-Type': MULTIPART, 'Content-Length': 1 },
    };

    /** Sends only a head: a service that waits for the body sends no response. */
    const sendHead = (method: string, path: string, headers: object): Promise<ApiResponse | undefined> =>
      send({ method, path, headers: { 'X-API-Key': tested.world.admin.key, ...headers } });

    it.each(Object.entries(HEADERS))(
      'answers 400 to %s on public routes before the body arrives',
      async (_what, headers) => {
        for (const path of [
          '/health/live',
          '/health/ready',
          '/',
          '/api-docs',
          '/api-docs-json',
          '/api-docs-yaml',
          '/api-docs/swagger-ui.css',
        ]) {
          const answer = await send({ method: 'GET', path, headers: { ...headers } });
          expect({ path, status: answer?.status, body: answer?.body }).toEqual({
            path,
            status: 400,
            body: errorShape(7),
          });
        }
      },
    );

    const withoutBody = TESTED_OPERATIONS.filter(({ takesBody }) => !takesBody);

    it.each(withoutBody.map((operation) => [operation.id, operation] as const))(
      'answers 400 to a body for %s before the body arrives',
      async (_id, operation) => {
        const { world } = tested;
        const target = operation.freshProject ? await world.addProject() : project;
        const names = (await operation.names?.(world, target, world.admin)) ?? {};
        const parameters = new Map(Object.entries(names));
        const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
          const value = parameters.get(name);
          parameters.delete(name);
          return encodeURI(String(typeof value === 'object' ? value.key : value));
        });
        const query = new URLSearchParams([
          ...[...parameters].map(([name, value]): [string, string] => [
            name,
            String(typeof value === 'object' ? value.key : value),
          ]),
          ...Object.entries(operation.query ?? {}),
        ]).toString();
        const address = `${operation.isOutsideBasePath ? '' : basePath()}${path}?${query}`;
        const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method];
        for (const method of methods) {
          for (const headers of Object.values(HEADERS)) {
            const answer = await sendHead(method, address, headers);
            expect(answer?.status).toBe(400);
            if (method !== 'HEAD') expect(answer?.body).toEqual(errorShape(7));
          }
        }
      },
    );

    it('covers more than 50 operations and all public ones', () => {
      expect(withoutBody.length).toBeGreaterThan(50);
      const open = documentedOperations.filter(({ operation }) => !operation.security?.length);
      expect(open.filter(({ operation }) => operation.requestBody)).toEqual([]);
    });

    it('accepts Content-Length: 0', async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await sendHead(method, `${basePath()}/users/myself`, { 'Content-Length': 0 });
        expect(answer?.status).toBe(200);
      }
    });
  });

  describe('over the size limit', () => {
    const TYPES = ['application/json', 'application/x-www-form-urlencoded', MULTIPART];

    it.each(TYPES)('answers 413 to the Content-Length of type %s before the body arrives', async (type) => {
      const headers = { 'X-API-Key': member.key, 'Content-Type': type, 'Content-Length': 10 ** 12 };
      const answer = await send({ method: 'POST', path: basePath() + comments(), headers });
      expect(answer?.status).toBe(413);
    });

    it.each(TYPES)('answers 413 to a chunked body of type %s before its end', async (type) => {
      const headers = { 'X-API-Key': member.key, 'Content-Type': type, 'Transfer-Encoding': 'chunked' };
      const body = Buffer.concat([Buffer.from('200001\r\n'), Buffer.alloc(0x200001, 'a')]);
      const answer = await send({ method: 'POST', path: basePath() + comments(), headers, body });
      expect(answer?.status).toBe(413);
    });
  });

  describe('of unauthenticated requests', () => {
    it('keeps the connection open after a body of 1 MiB', async () => {
      const body = ' '.repeat(1024 * 1024);
      const connection = await TextConnection.open(tested.world.server.baseUrl);
      const head = bytesOf({
        method: 'POST',
        path: basePath() + comments(),
        headers: { 'Content-Length': body.length },
      });
      connection.send(head.toString('latin1'));
      expect(await connection.receives(/^HTTP\/1.1 401 [^]*\}$/)).toMatch(/^Connection: keep-alive\r$/m);
      connection.send(body + bytesOf({ method: 'GET', path: '/health/live' }).toString('latin1'));
      await connection.receives(/\}HTTP\/1.1 200 /);
      connection.socket.destroy();
    });

    it('closes the connection after reading a limited part of a large body', async () => {
      const connection = await RawConnection.open(tested.world.server.baseUrl, true);
      const headers = { 'Content-Length': 10 ** 12 };
      connection.write(bytesOf({ method: 'POST', path: `${basePath()}${comments()}`, headers }));
      const answer = await connection.answer();
      expect([answer?.status, answer?.headers.get('connection')]).toEqual([401, 'close']);
      // Writes until the connection accepts no more data.
      const block = Buffer.alloc(1024 * 1024);
      const feed = (): void => {
        while (!connection.socket.destroyed && connection.socket.write(block));
      };
      connection.socket.on('drain', feed);
      feed();
      await connection.closed;
      // The buffers of the operating systems come on top.
      expect(connection.socket.bytesWritten - connection.socket.writableLength).toBeLessThan(
        32 * 1024 * 1024,
      );
    }, 15_000);
  });
});
