import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { AttachmentsService } from '../../src/attachments/attachments.service';
import { Environment } from '../../src/config/environment';
import { everythingStored } from '../support/records';
import { anId, errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, World } from '../support/world';

const MAX_FILE_SIZE = 100_000;
const HOUR_MS = 3_600_000;

describe('POST /space/attachment', () => {
  let world: World;
  let project: ProjectFixture;
  let member: Person;

  beforeAll(async () => {
    world = await World.start({ MAX_FILE_SIZE: String(MAX_FILE_SIZE) });
    project = await world.addProject();
    member = await world.addMember(project);
  });
  afterAll(() => world.stop());

  /** Returns the paths of all files in storage. */
  const filesInStorage = async (): Promise<string[]> => {
    const folder = world.service(Environment).STORAGE_URL.slice('file:'.length);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };

  const attach = (id: number) =>
    member.api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId: [id] });

  it('answers 200 with id, name and size, and stores the bytes under another name', async () => {
    const before = await filesInStorage();
    const content = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);
    const { status, body } = await member.api.upload(content, 'data.bin');
    expect(status).toBe(200);
    expect(body).toEqual({ id: anId, name: 'data.bin', size: 70_000 });
    const [added, ...more] = (await filesInStorage()).filter((path) => !before.includes(path));
    expect(more).toEqual([]);
    expect(added).not.toContain('data');
    expect(Buffer.compare(await readFile(added as string), content)).toBe(0);
  });

  it.each([
    ['non-ASCII letters', 'Übersicht 漢字 😀.txt', 'Übersicht 漢字 😀.txt'],
    ['surrounding spaces', '  a.txt ', 'a.txt'],
    ['255 characters', `${'ü'.repeat(251)}.txt`, `${'ü'.repeat(251)}.txt`],
    ['path segments', '../../../etc/passwd', 'passwd'],
    ['a leading dot', '.gitignore', '.gitignore'],
  ])('accepts a file name with %s', async (_what, name, shown) => {
    const { status, body } = await member.api.upload('x', name);
    expect(status).toBe(200);
    expect(body).toEqual({ id: anId, name: shown, size: 1 });
  });

  it('accepts an empty file', async () => {
    const { status, body } = await member.api.upload('', 'empty.txt');
    expect(status).toBe(200);
    expect(body.size).toBe(0);
    expect((await attach(body.id)).body).toEqual([{ id: body.id, name: 'empty.txt', size: 0 }]);
  });

  it('accepts a file of MAX_FILE_SIZE and answers 413 to a larger one', async () => {
    const { status, body } = await member.api.upload('x'.repeat(MAX_FILE_SIZE));
    expect(status).toBe(200);
    expect(body.size).toBe(MAX_FILE_SIZE);
    const [rows, files] = [await everythingStored(world), await filesInStorage()];
    const answer = await member.api.upload('x'.repeat(MAX_FILE_SIZE + 1));
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({
      errors: [{ message: 'The size of attached file is too large.', code: 10, moreInfo: '' }],
    });
    expect(answer.body).toEqual(errorShape(10));
    expect(await everythingStored(world)).toEqual(rows);
    expect(await filesInStorage()).toEqual(files);
  });

  const form = (...parts: [name: string, value: string | Blob, fileName?: string][]): FormData => {
    const data = new FormData();
    for (const [name, value, fileName] of parts) {
      if (value instanceof Blob) data.append(name, value, fileName);
      else data.append(name, value);
    }
    return data;
  };
  const blob = new Blob(['content']);
  const crlf = (...lines: string[]): string => lines.join('\r\n');
  const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=b' };

  it.each<[string, unknown, string, Record<string, string>?]>([
    ['a form without a file', form(), 'file'],
    ['a file in a part of another name', form(['upload', blob, 'a.txt']), 'upload'],
    ['two files', form(['file', blob, 'a.txt'], ['file', blob, 'b.txt']), 'file'],
    ['another field before the file', form(['name', 'x'], ['file', blob, 'a.txt']), 'name'],
    ['another field after the file', form(['file', blob, 'a.txt'], ['name', 'x']), 'name'],
    ['a file sent as plain text', form(['file', 'content']), 'file'],
    ['a blank file name', form(['file', blob, '  ']), 'file'],
    ['a file name of 256 characters', form(['file', blob, 'x'.repeat(256)]), 'file'],
    ['JSON', { file: 'content' }, 'Content-Type'],
    ['a missing body', undefined, 'Content-Type'],
    ['multipart content without a boundary', 'x', 'Content-Type', { 'Content-Type': 'multipart/form-data' }],
    [
      'a truncated form',
      crlf('--b', 'Content-Disposition: form-data; name="file"; filename="a.txt"', '', 'cont'),
      '',
      MULTIPART,
    ],
    ['a body that is not a form', 'x', '', MULTIPART],
  ])('answers 400 to %s and stores nothing', async (_what, body, field, headers = {}) => {
    const [rows, files] = [await everythingStored(world), await filesInStorage()];
    const answer = await member.api.send('POST', '/space/attachment', body, headers);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, [field]));
    expect(await everythingStored(world)).toEqual(rows);
    expect(await filesInStorage()).toEqual(files);
  });

  const named = (parameter: string, ...bytes: number[]): Uint8Array<ArrayBuffer> =>
    new Uint8Array(
      Buffer.concat([
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; ${parameter}`),
        Buffer.from(bytes),
        Buffer.from(`${bytes.length > 0 ? '"' : ''}\r\n\r\ncontent\r\n--b--\r\n`),
      ]),
    );

  it.each([
    ['invalid UTF-8', named('filename="a', 0xff, 0xfe)],
    ['Latin-1', named('filename="', 0x67, 0x72, 0xfc, 0x6e)],
    ['a surrogate', named('filename="', 0xed, 0xa0, 0x80)],
    ['an incomplete character', named('filename="a', 0xf0, 0x9f, 0x98)],
    ['escapes of invalid UTF-8', named("filename*=UTF-8''a%FF%FE")],
    ['malformed escapes', named("filename*=UTF-8''a%zz")],
    ['an unknown charset', named("filename*=nosuch''a%FF")],
  ])('answers 400 to a file name with %s and stores nothing', async (_what, body) => {
    const [rows, files] = [await everythingStored(world), await filesInStorage()];
    const answer = await member.api.send('POST', '/space/attachment', body, MULTIPART);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ code: 7 }] });
    expect(await everythingStored(world)).toEqual(rows);
    expect(await filesInStorage()).toEqual(files);
  });

  it.each([
    ['a UTF-8 filename', named('filename="', ...Buffer.from('grün 😀.txt')), 'grün 😀.txt'],
    ['an escaped filename*', named("filename*=UTF-8''gr%C3%BCn%20%F0%9F%98%80.txt"), 'grün 😀.txt'],
    ['filename* beside filename', named('filename="gr_n"; filename*=UTF-8\'\'gr%C3%BCn'), 'grün'],
  ])('reads the name from %s', async (_what, body, name) => {
    const answer = await member.api.send('POST', '/space/attachment', body, MULTIPART);
    expect(answer.body).toMatchObject({ name });
  });

  it('keeps nothing of an upload that is cut off', async () => {
    const [rows, files] = [await everythingStored(world), await filesInStorage()];
    const upload = request(`${world.server.baseUrl}/space/attachment`, {
      method: 'POST',
      headers: { ...MULTIPART, 'X-API-Key': member.key, 'Content-Length': 50_000 },
    });
    upload.on('error', () => undefined);
    upload.write(
      crlf('--b', 'Content-Disposition: form-data; name="file"; filename="a.txt"', '', 'x'.repeat(9000)),
    );
    await waitUntil(async () => (await filesInStorage()).length > files.length);
    expect((await everythingStored(world)).attachment).toHaveLength((rows.attachment?.length ?? 0) + 1);
    upload.destroy();
    await waitUntil(async () => (await filesInStorage()).length === files.length);
    await waitUntil(
      async () => (await everythingStored(world)).attachment?.length === rows.attachment?.length,
    );
    expect(await everythingStored(world)).toEqual(rows);
  });

  it('removes an unattached upload after an hour and frees its space', async () => {
    const [rows, files] = [await everythingStored(world), await filesInStorage()];
    const id = await world.addUpload(member, 'x'.repeat(1000));
    const attachments = world.service(AttachmentsService);
    const { attachment } = await everythingStored(world);
    await world.dataSource.query('UPDATE attachment SET created = ? WHERE id = ?', [
      Date.now() - HOUR_MS,
      id,
    ]);
    expect((await attach(id)).status).toBe(400);
    await attachments.removeExpired(Date.now() - 1);
    expect((await everythingStored(world)).attachment).toHaveLength(attachment?.length ?? 0);
    await attachments.removeExpired(Date.now() + HOUR_MS / 2);
    expect(await everythingStored(world)).toEqual(rows);
    expect(await filesInStorage()).toEqual(files);
  });

  it('keeps attached files when uploads expire', async () => {
    const id = await world.addUpload(member);
    await attach(id);
    await world.service(AttachmentsService).removeExpired(Date.now() + 1000 * HOUR_MS);
    const { attachment } = await everythingStored(world);
    const kept = attachment as { id: number; attached: unknown }[];
    expect(kept.map((row) => row.id)).toContain(id);
    expect(kept.filter((row) => !row.attached)).toEqual([]);
    expect(await filesInStorage()).toHaveLength(kept.length);
  });
});

/** Polls until a condition holds; the test's own timeout ends the wait. */
async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
