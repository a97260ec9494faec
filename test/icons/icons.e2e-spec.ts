import { readdir } from 'node:fs/promises';
import { FileStorage } from '../../src/attachments/file-storage';
import { Environment } from '../../src/config/environment';
import { aPicture, PICTURE_TYPES } from '../support/pictures';
import { everythingStored } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('an icon', () => {
  const tested = useWorld({ MAX_UNATTACHED_FILES: '3' });
  let project: ProjectFixture;
  let member: Person;

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const icon = (person: Person, path: string) => person.api.download(path);

  const upload = (
    person: Person,
    path: string,
    content: Uint8Array<ArrayBuffer> | string,
    name = 'me.txt',
  ) => {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    return person.api.put(path, form);
  };

  const ownPath = (): string => `/users/${member.id}/icon`;

  const storedFiles = async (): Promise<string[]> => {
    await tested.world.background.whenIdle();
    const folder = tested.world.service(Environment).STORAGE_URL.slice('file:'.length);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  it('shows generated initials as a sandboxed SVG before an upload', async () => {
    await tested.world.admin.api.patch(`/users/${member.id}`, { name: '<b> "Brown"' });
    for (const [path, initials] of [
      ['/space/image', 'S'],
      [`/projects/${project.key}/image`, expect.stringMatching(/^\S+$/)],
      [ownPath(), '&lt;&quot;'],
    ] as const) {
      const { status, headers, text } = await icon(member, path);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'image/svg+xml',
        'content-length': String(Buffer.byteLength(text)),
        'content-disposition': "inline; filename*=UTF-8''icon.svg",
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(/<text [^>]*>([^<]*)<\/text><\/svg>$/.exec(text)?.[1]).toEqual(initials);
    }
  });

  it.each(PICTURE_TYPES)('shows an uploaded %s picture until it is deleted', async (type) => {
    const files = await storedFiles();
    const generated = (await icon(member, ownPath())).bytes;
    for (const side of [2048, 1]) {
      const picture = aPicture(type, side, side);
      expect((await upload(member, ownPath(), picture)).status).toBe(204);
      const shown = await icon(tested.world.admin, ownPath());
      const extension = type.split('-')[0];
      expect(shown.bytes).toEqual(Buffer.from(picture));
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        'content-type': `image/${extension}`,
        'content-disposition': `inline; filename*=UTF-8''icon.${extension}`,
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      });
      expect(await storedFiles()).toHaveLength(files.length + 1);
    }
    expect((await member.api.delete(ownPath())).status).toBe(204);
    expect((await icon(member, ownPath())).bytes).toEqual(generated);
    expect((await member.api.delete(ownPath())).status).toBe(204);
    expect(await storedFiles()).toEqual(files);
  });

  it('belongs to one subject only', async () => {
    const { admin } = tested.world;
    const paths = ['/space/image', `/users/${admin.id}/icon`, `/projects/${project.key}/image`];
    const other = await tested.world.addProject();
    for (const [index, path] of paths.entries()) {
      expect((await upload(admin, path, aPicture('gif', index + 1, 1))).status).toBe(204);
    }
    for (const [index, path] of paths.entries()) {
      expect((await icon(admin, path)).bytes).toEqual(Buffer.from(aPicture('gif', index + 1, 1)));
    }
    expect((await icon(admin, `/projects/${other.key}/image`)).headers.get('content-type')).toBe(
      'image/svg+xml',
    );
    for (const path of paths) await admin.api.delete(path);
  });

  it.each<[string, Uint8Array<ArrayBuffer> | string]>([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['an empty file', ''],
    ['a picture that is too wide', aPicture('png', 2049, 1)],
    ['a picture that is too high', aPicture('jpeg', 1, 2049)],
    ['a picture of the largest size in a header', aPicture('webp-extended', 2 ** 24, 2 ** 24)],
  ])('refuses %s and keeps the earlier picture', async (_what, content) => {
    await upload(member, ownPath(), aPicture('png', 3, 3));
    const [rows, files] = [await everythingStored(tested.world), await storedFiles()];
    const { status, body } = await upload(member, ownPath(), content, 'me.png');
    expect(status).toBe(400);
    expect(body).toEqual(errorShape(7, ['file']));
    expect(await everythingStored(tested.world)).toEqual(rows);
    expect(await storedFiles()).toEqual(files);
  });

  it('accepts a file of one mebibyte and answers 413 to one byte more', async () => {
    const large = (size: number): Uint8Array<ArrayBuffer> => {
      const bytes = new Uint8Array(size);
      bytes.set(aPicture('gif', 5, 5));
      return bytes;
    };
    expect((await upload(member, ownPath(), large(1024 * 1024))).status).toBe(204);
    const rows = await everythingStored(tested.world);
    const { status, body } = await upload(member, ownPath(), large(1024 * 1024 + 1));
    expect([status, body]).toEqual([413, errorShape(10)]);
    expect(await everythingStored(tested.world)).toEqual(rows);
  });

  it('is sent as it is now when it is replaced just before its bytes are read', async () => {
    expect((await upload(member, ownPath(), aPicture('png', 3, 3))).status).toBe(204);
    const storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
    const read = storage.read.bind(storage);
    vi.spyOn(storage, 'read').mockImplementationOnce(async (...file) => {
      await member.api.delete(ownPath());
      await tested.world.whenIdle();
      return read(...file);
    });
    const { status, headers } = await icon(member, ownPath());
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    vi.restoreAllMocks();
  });

  it('stores one file after repeated and simultaneous uploads, counted as attached', async () => {
    await member.api.delete(ownPath());
    const before = await storedFiles();
    for (let round = 0; round < 5; round++) {
      expect((await upload(member, ownPath(), aPicture('png', 3, round + 1))).status).toBe(204);
    }
    const answers = await Promise.all(
      [1, 2, 3].map((width) => upload(member, ownPath(), aPicture('png', width, 9))),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await storedFiles()).toHaveLength(before.length + 1);
    const reads = await Promise.all(
      [1, 2, 3, 4, 5].flatMap((width) => [
        upload(member, ownPath(), aPicture('gif', width, 9)),
        icon(tested.world.admin, ownPath()),
      ]),
    );
    // Five uploads at once can exceed the user's limit of unattached files.
    for (const { status } of reads) expect([200, 204, 409]).toContain(status);
    expect(await storedFiles()).toHaveLength(before.length + 1);
    expect((await icon(member, ownPath())).status).toBe(200);
  });

  it('disappears with its user, team or project', async () => {
    const { world } = tested;
    const files = await storedFiles();
    // A user who is deleted, and one who is kept as the author of their own upload.
    for (const by of [world.admin, undefined]) {
      const person = await world.addUser();
      const path = `/users/${person.id}/icon`;
      expect((await upload(by ?? person, path, aPicture('png', 4, 4))).status).toBe(204);
      expect((await world.admin.api.delete(`/users/${person.id}`)).status).toBe(200);
      const { status, headers } = await icon(world.admin, path);
      expect([status, headers.get('content-type')]).toEqual(
        by ? [404, 'application/json; charset=utf-8'] : [200, 'image/svg+xml'],
      );
      expect((await upload(world.admin, path, aPicture('png', 4, 4))).status).toBe(404);
    }
    const { id: teamId } = await world.addTeam();
    expect((await upload(world.admin, `/teams/${teamId}/icon`, aPicture('png', 4, 4))).status).toBe(204);
    expect((await icon(member, `/teams/${teamId}/icon`)).headers.get('content-type')).toBe('image/png');
    expect((await world.admin.api.delete(`/teams/${teamId}`)).status).toBe(200);
    expect(await storedFiles()).toEqual(files);
    const gone = await world.addProject();
    expect((await upload(world.admin, `/projects/${gone.key}/image`, aPicture('png', 4, 4))).status).toBe(
      204,
    );
    expect(await storedFiles()).toHaveLength(files.length + 1);
    await world.admin.api.delete(`/projects/${gone.key}`);
    await world.background.whenIdle();
    expect(await storedFiles()).toEqual(files);
    const rows = (await everythingStored(world)).icon as { subject_type: string; subject_id: number }[];
    expect(rows.map((row) => [row.subject_type, row.subject_id])).toEqual([['user', member.id]]);
  });
});
