import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { type AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AttachmentsService } from '../../src/attachments/attachments.service';
import { FileStorage, objectName, type StoredFile } from '../../src/attachments/file-storage';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { explainStartFailure } from '../../src/start-failure';
import { ApiClient } from '../support/api';
import { useApplications } from '../support/applications';
import { describeOnServer } from '../support/engines';
import { everythingStored } from '../support/records';
import { type Fault, S3_KEY, useS3Server } from '../support/s3-server';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MINUTE_MS = 60_000;
const ADMIN_KEY = 'key-of-the-administrator-of-two-processes-0123456789';

const listed = async (storage: FileStorage): Promise<StoredFile[]> => {
  const files: StoredFile[] = [];
  for await (const file of storage.list()) files.push(file);
  return files;
};

describe('the service with files on S3', () => {
  const s3 = useS3Server();
  const tested = useWorld(() => ({ STORAGE_URL: s3().url('/tracker'), ...S3_KEY }));
  let project: ProjectFixture;
  let member: Person;
  let storage: FileStorage;

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
    await tested.world.stopDeliveries();
  });
  afterEach(() => vi.restoreAllMocks());

  /** Attaches a file, and returns its path. */
  const attach = async (content: string, name?: string): Promise<string> => {
    const id = await tested.world.addUpload(member, content, name);
    const path = `/wikis/${project.wikiId}/attachments`;
    await member.api.post(path, { attachmentId: [id] });
    return `${path}/${id}`;
  };

  /** Starts a download that may be aborted. */
  const download = (path: string) => {
    const options = { headers: { 'X-API-Key': member.key }, agent: false };
    const begun = request(`${tested.world.server.baseUrl}${path}`, options);
    return begun.on('error', () => undefined).end();
  };

  /** Returns the calls that sent files to S3. */
  const written = (): string[] => s3().calls.filter((call) => /^PUT (?!.*\/partial\/)/.test(call));

  const expectUnavailable = ({ status, body, headers }: Awaited<ReturnType<ApiClient['upload']>>): void => {
    expect(status).toBe(503);
    expect(body).toEqual(errorShape(1));
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  };

  it('serves files as downloads and stores them under generated names', async () => {
    const content = 'x'.repeat(200_000);
    const path = await attach(content, '../../über uns.html');
    const { status, text, headers } = await member.api.get(path);
    expect(status).toBe(200);
    expect(text).toBe(content);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '200000',
      'content-disposition': "attachment; filename*=UTF-8''%C3%BCber%20uns.html",
      'x-content-type-options': 'nosniff',
    });
    const [{ key } = { key: '' }] = await listed(storage);
    expect(written()).toEqual([`PUT /files/tracker/${objectName(key)}`]);
  });

  it('writes nothing for an upload whose client disconnects', async () => {
    const before = await everythingStored(tested.world);
    const upload = request(`${tested.world.server.baseUrl}/space/attachment`, {
      method: 'POST',
      headers: {
        'Content-Type': 'multipart/form-data; boundary=b',
        'X-API-Key': member.key,
        'Content-Length': 500_000,
      },
    });
    upload.on('error', () => undefined);
    upload.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
    upload.write('x'.repeat(200_000));
    const attachments = async (): Promise<number> =>
      (await everythingStored(tested.world)).attachment?.length ?? 0;
    const rows = before.attachment?.length ?? 0;
    while ((await attachments()) === rows) await new Promise((resolve) => setImmediate(resolve));
    upload.destroy();
    while ((await attachments()) > rows) await new Promise((resolve) => setImmediate(resolve));
    expect(written()).toEqual([]);
    expect(await everythingStored(tested.world)).toEqual(before);
  });

  it('ends the S3 request when the client of a download disconnects', async () => {
    const path = await attach('x'.repeat(5_000_000));
    for (let time = 0; time < 5; time++) {
      const leaving = download(path);
      await once(leaving, 'response');
      leaving.destroy();
    }
    while (s3().underWay > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await member.api.get(path)).status).toBe(200);
  });

  it('answers 503 and stores nothing when S3 refuses requests', async () => {
    const path = await attach('content');
    const before = await everythingStored(tested.world);
    for (const fault of [
      { kind: 'error', status: 403, code: 'AccessDenied' },
      { kind: 'error', status: 404, code: 'NoSuchBucket' },
    ] satisfies Fault[]) {
      s3().fault = () => fault;
      expectUnavailable(await member.api.get(path));
      expectUnavailable(await member.api.upload('x'));
      // Only writing is refused.
      s3().fault = (method) => (method === 'PUT' ? fault : undefined);
      expectUnavailable(await member.api.upload('x'));
    }
    s3().reset();
    expect(await everythingStored(tested.world)).toEqual(before);
  });

  it('removes a possibly written file five minutes after a lost response', async () => {
    const rows = await everythingStored(tested.world);
    const files = await listed(storage);
    s3().failNext('PUT', { kind: 'lost-answer' }, 3);
    expectUnavailable(await member.api.upload('content'));
    const attachments = tested.world.service(AttachmentsService);
    await attachments.removeExpired();
    expect(await listed(storage)).toHaveLength(files.length + 1);
    expect((await everythingStored(tested.world)).attachment).toHaveLength(
      (rows.attachment?.length ?? 0) + 1,
    );
    // Two processes may remove files concurrently.
    const later = Date.now() + 5 * MINUTE_MS + 1;
    await Promise.all([attachments.removeExpired(later), attachments.removeExpired(later)]);
    expect(await everythingStored(tested.world)).toEqual(rows);
    expect(await listed(storage)).toEqual(files);
  });

  it('answers 503 to an upload that is removed as expired before its write', async () => {
    const rows = await everythingStored(tested.world);
    const files = await listed(storage);
    const write = storage.write.bind(storage);
    vi.spyOn(storage, 'write').mockImplementationOnce(async (key, content) => {
      await tested.world.service(AttachmentsService).removeExpired(Date.now() + 120 * MINUTE_MS);
      return write(key, content);
    });
    expectUnavailable(await member.api.upload('content'));
    expect(await everythingStored(tested.world)).toEqual(rows);
    expect(await listed(storage)).toEqual(files);
  });

  it.each<[string, (key: string) => Promise<void> | void]>([
    ['a truncated response of S3', () => s3().failNext('GET', { kind: 'cut-answer', after: 1000 })],
    ['a too short object', (key) => replace(key, 100_000)],
    ['a too long object', (key) => replace(key, 300_000)],
  ])('breaks off a download with %s', async (_what, spoil) => {
    const before = new Set((await listed(storage)).map(({ key }) => key));
    const path = await attach('x'.repeat(200_000));
    const [key = ''] = (await listed(storage)).map((file) => file.key).filter((found) => !before.has(found));
    await spoil(key);
    const answer = await fetch(`${tested.world.server.baseUrl}${path}`, {
      headers: { 'X-API-Key': member.key },
    });
    expect(answer.headers.get('content-length')).toBe('200000');
    await expect(answer.text()).rejects.toThrow();
    s3().reset();
    expect((await member.api.get(`/wikis/${project.wikiId}/attachments`)).status).toBe(200);
  });

  const replace = async (key: string, size: number): Promise<void> => {
    await storage.remove(key);
    await storage.write(key, Readable.from([Buffer.alloc(size)], { objectMode: false }));
  };

  it('ends a silent S3 request when its client disconnects', async () => {
    const path = await attach('content');
    s3().failNext('GET', { kind: 'silence' });
    const slow = download(path);
    while (!s3().calls.some((call) => call.startsWith('GET')))
      await new Promise((resolve) => setImmediate(resolve));
    expect((await member.api.get(path)).text).toBe('content');
    slow.destroy();
    while (s3().underWay > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('logs an S3 error without the secret key', async () => {
    const log = vi.spyOn(Logger.prototype, 'error');
    s3().failNext('DELETE', { kind: 'error', status: 403, code: 'AccessDenied' }, 3);
    await tested.world.addUpload(member);
    await tested.world.service(AttachmentsService).removeExpired(Date.now() + 120 * MINUTE_MS);
    expect(log).toHaveBeenCalled();
    expect(JSON.stringify(log.mock.calls)).not.toContain(S3_KEY.AWS_SECRET_ACCESS_KEY);
  });
});

describe('a process with a bucket', () => {
  const s3 = useS3Server();
  const applications = useApplications();

  it.each([
    ['a missing bucket', () => ({ STORAGE_URL: s3().url('', 'other') }), 'S3 answered 404 NoSuchBucket'],
    [
      'a wrong secret key',
      () => ({ AWS_SECRET_ACCESS_KEY: 'wrong' }),
      'S3 answered 403 SignatureDoesNotMatch',
    ],
  ])('refuses to start with %s', async (_what, settings, why) => {
    const started = applications.create({ STORAGE_URL: s3().url(), ...S3_KEY, ...settings() });
    const lines = await started.then((app) => app.init()).then(() => [], explainStartFailure);
    expect(lines).toEqual([
      expect.stringMatching(/^The service could not start: Files cannot be stored in the bucket .*$/),
    ]);
    expect(lines[0]).toContain(why);
  });

  describeOnServer('beside another process on the same database', () => {
    it('serves the files of the other and removes expired uploads concurrently', async () => {
      const environment = { STORAGE_URL: s3().url('/shared'), ADMIN_API_KEY: ADMIN_KEY, ...S3_KEY };
      const started = [];
      for (let process = 0; process < 2; process++) {
        const app = await applications.create({ ...environment, DEMO_DATA: 'true' });
        await app.get(FirstStartService).run();
        await app.listen(0, '127.0.0.1');
        const { port } = app.getHttpServer().address() as AddressInfo;
        started.push({ app, api: new ApiClient(`http://127.0.0.1:${port}/api/v2`, ADMIN_KEY) });
      }
      const [one, two] = started as [(typeof started)[0], (typeof started)[0]];
      const kept = (await one.api.upload<{ id: number }>('kept')).body.id;
      const { body } = await two.api.get<{ id: number }[]>('/wikis?projectIdOrKey=DEMO');
      const path = `/wikis/${body[0]?.id ?? 0}/attachments`;
      expect((await two.api.post(path, { attachmentId: [kept] })).status).toBe(200);
      expect((await two.api.get(`${path}/${kept}`)).text).toBe('kept');

      const storage = two.app.get<FileStorage>(FileStorage, { strict: false });
      const files = await listed(storage);
      for (let n = 0; n < 5; n++) await one.api.upload('x');
      expect(await listed(storage)).toHaveLength(files.length + 5);
      const later = Date.now() + 120 * MINUTE_MS;
      await Promise.all(
        started.map(({ app }) => app.get(AttachmentsService, { strict: false }).removeExpired(later)),
      );
      expect(await listed(storage)).toEqual(files);
      const [row] = await one.app
        .get(DataSource)
        .query<[{ n: number | string }]>('SELECT COUNT(*) AS n FROM attachment WHERE attached = ?', [false]);
      expect(Number(row.n)).toBe(0);
    });
  });
});
