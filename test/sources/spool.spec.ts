import { readdirSync, renameSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Spool, versionOf } from '../../src/sources/spool/spool';
import { TemporaryFolder } from '../support/sqlite';

const IDENTITY = { source: 'https://example.com/' };
const MAX_ANSWER = 100_000;
const ADDRESS = '/issues/1/comments';

describe('readings of a spool', () => {
  const folders = new TemporaryFolder();
  let folder: string;
  let number = 0;

  beforeEach(() => {
    folder = folders.file(`spool-${++number}`);
  });

  afterAll(() => folders.remove());

  const open = (): Promise<Spool> => Spool.open(folder, IDENTITY, MAX_ANSWER);
  const [before, after] = [versionOf({ updated: 1 }), versionOf({ updated: 2 })];

  /** Makes a spool whose reading has ended, with an answer and a file of one version, and an answer of none. */
  async function readOnce(): Promise<Spool> {
    const spool = await open();
    await spool.keepAnswer('/issues', { status: 200, body: '[]' });
    await spool.keepAnswer(ADDRESS, { status: 200, body: '[1]' }, before);
    await spool.keepFile('/files/1', one(Buffer.from('content')), 100);
    await mkdir(spool.path('git'), { recursive: true });
    await Spool.markRead(folder);
    return spool;
  }

  async function* one(buffer: Buffer): AsyncGenerator<Buffer> {
    yield await Promise.resolve(buffer);
  }

  it('takes over what belongs to an object that is still the same, and files', async () => {
    await readOnce();
    await Spool.renew(folder, 1000);
    const spool = await open();
    expect([spool.reading, spool.begun]).toEqual([2, 1000]);
    expect(await spool.hasAnswer('/issues')).toBe(false);
    expect(await spool.hasAnswer(ADDRESS)).toBe(false);
    expect(await spool.hasAnswer(ADDRESS, after)).toBe(false);
    expect((await spool.answer(ADDRESS, before))?.body).toBe('[1]');
    expect((await spool.file('/files/1'))?.size).toBe(7);
    expect(readdirSync(folder).sort()).toEqual(['current', 'files', 'last', 'source.json']);
    await Spool.markRead(folder);
    expect(readdirSync(folder).sort()).toEqual(['current', 'files', 'source.json']);
  });

  it('keeps entries of several versions apart in one reading', async () => {
    const spool = await readOnce();
    await spool.keepAnswer(ADDRESS, { status: 200, body: '[1,2]' }, after);
    expect([(await spool.answer(ADDRESS, before))?.body, (await spool.answer(ADDRESS, after))?.body]).toEqual(
      ['[1]', '[1,2]'],
    );
    await spool.forget(ADDRESS, after);
    expect([await spool.hasAnswer(ADDRESS, before), await spool.hasAnswer(ADDRESS, after)]).toEqual([
      true,
      false,
    ]);
  });

  it('goes on with a reading that has not ended', async () => {
    const spool = await open();
    await spool.keepAnswer('/issues', { status: 200, body: '[]' });
    await Spool.renew(folder, 1000);
    const same = await open();
    expect([same.reading, same.begun, await same.hasAnswer('/issues')]).toEqual([1, spool.begun, true]);
  });

  it('compares with the time of the last reading', async () => {
    const { begun } = await readOnce();
    await Spool.renew(folder);
    const spool = await open();
    expect([spool.reading, spool.begun]).toEqual([2, begun]);
  });

  it('loses nothing if it is killed while a reading begins', async () => {
    await readOnce();
    // The folder has been moved, but the state has not been written.
    renameSync(`${folder}/current`, `${folder}/last`);
    await Spool.renew(folder, 1000);
    const spool = await open();
    expect([spool.reading, (await spool.answer(ADDRESS, before))?.body]).toEqual([2, '[1]']);
  });

  it('takes over nothing that the source has refused', async () => {
    const spool = await open();
    await spool.keepAnswer(ADDRESS, { status: 403, body: '' }, before);
    expect((await spool.answer(ADDRESS, before))?.status).toBe(403);
    await Spool.markRead(folder);
    await Spool.renew(folder, 1000);
    expect(await (await open()).hasAnswer(ADDRESS, before)).toBe(false);
  });

  it('forgets what the source has refused, and nothing else, when it is opened again', async () => {
    const spool = await open();
    await spool.keepAnswer('/issues', { status: 200, body: '[]' });
    await spool.keepAnswer(ADDRESS, { status: 404, body: '' });
    const again = await open();
    expect([await again.hasAnswer('/issues'), await again.hasAnswer(ADDRESS)]).toEqual([true, false]);
  });

  it('asks again for a file that could not be had', async () => {
    const spool = await open();
    await spool.keepLostFile('/files/2');
    expect(await spool.file('/files/2')).toEqual({ size: 0 });
    await Spool.markRead(folder);
    await Spool.renew(folder, 1000);
    expect(await (await open()).file('/files/2')).toBeUndefined();
  });

  it('does nothing in a folder without a spool', async () => {
    await mkdir(folder);
    await Spool.renew(folder, 1000);
    await Spool.markRead(folder);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is still that of its source alone', async () => {
    await readOnce();
    await Spool.renew(folder, 1000);
    await expect(Spool.open(folder, { source: 'https://other.example/' }, MAX_ANSWER)).rejects.toThrow(
      'is the spool of another source',
    );
  });
});
