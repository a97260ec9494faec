import { TemporaryFolder } from '../../test/support/sqlite';
import { RecordSpool } from '../archives/data/record-spool';
import { ExportPaths } from './export-paths';

describe('ExportPaths', () => {
  const folder = new TemporaryFolder();
  let spool: RecordSpool;
  let paths: ExportPaths;

  beforeEach(() => {
    spool = new RecordSpool(folder.file('build.db'));
    paths = new ExportPaths(spool);
  });

  afterEach(() => spool.close());

  afterAll(() => folder.remove());

  it('distinguishes names that differ only in case, by their ids', () => {
    expect(paths.file('a', 'Read me.txt', 1)).toBe('a/Read me.txt');
    expect(paths.file('a', 'READ ME.txt', 2)).toBe('a/READ ME-2.txt');
    expect(paths.file('A', 'read me.txt', 2)).toBe('A/read me-2-2.txt');
    expect(paths.file('', 'Read me.txt', 3)).toBe('Read me.txt');
  });

  it('adds an extension behind that of the name', () => {
    expect(paths.file('a', 'x.png', 1, '.txt')).toBe('a/x.png.txt');
    expect(paths.file('a', 'x.png', 2, '.txt')).toBe('a/x-2.png.txt');
    expect(Buffer.byteLength(paths.file('', 'x'.repeat(300), 1, '.txt'))).toBeLessThanOrEqual(80);
    expect(Buffer.byteLength(paths.file('', 'x'.repeat(300), 2, '.txt'))).toBeLessThanOrEqual(80);
  });

  it('returns the same folder for the same key', () => {
    const one = paths.folder('wiki', 'A', 'A');
    expect(paths.folder('wiki', 'A', 'A')).toBe(one);
    expect(paths.folder('wiki', 'a', 'a')).not.toBe(one);
    expect(paths.file('wiki', 'A', 1)).not.toBe(one);
  });

  it('puts what is nested too deeply beside each other', () => {
    let path = '';
    for (let depth = 0; depth < 100; depth++) path = paths.folder(path, 'folder', String(depth));
    expect(Buffer.byteLength(path)).toBeLessThan(250);
    expect(paths.file(path, 'x', 1)).toBe(`${path}/x`);
    expect(paths.file(path, 'x', 2)).toBe(`${path}/x-2`);
  });
});
