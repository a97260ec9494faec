import { TemporaryFolder } from '../../test/support/sqlite';
import { RecordSpool } from '../sources/data/record-spool';
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
    expect(paths.file('a', 'Read me.md', 1)).toBe('a/Read me.md');
    expect(paths.file('a', 'READ ME.md', 2)).toBe('a/READ ME-2.md');
    expect(paths.file('A', 'read me.md', 2)).toBe('A/read me-2-2.md');
    expect(paths.file('', 'Read me.md', 3)).toBe('Read me.md');
  });

  it('adds an extension behind that of the name', () => {
    expect(paths.file('a', 'x.png', 1, '.md')).toBe('a/x.png.md');
    expect(paths.file('a', 'x.png', 2, '.md')).toBe('a/x-2.png.md');
    expect(Buffer.byteLength(paths.file('', 'x'.repeat(300), 1, '.md'))).toBeLessThanOrEqual(80);
    expect(Buffer.byteLength(paths.file('', 'x'.repeat(300), 2, '.md'))).toBeLessThanOrEqual(80);
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
