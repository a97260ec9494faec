import { keyOf, MAX_PATCH, MAX_PATCHES, PatchReader, RawChangeReader } from './changed-files';

const HASH = 'a'.repeat(40);
const raw = (status: string, ...paths: string[]): string =>
  `:100644 100644 ${HASH} ${HASH} ${status}\0${paths.map((path) => `${path}\0`).join('')}`;
const section = (path: string, lines: string): string =>
  `diff --git a/${path} b/${path}\nindex ${HASH}..${HASH} 100644\n--- a/${path}\n+++ b/${path}\n${lines}`;

/** Reads an output in chunks of `size` bytes. */
function read(output: string, size: number, paths: readonly string[]): ReturnType<PatchReader['results']> {
  const reader = new PatchReader(new Set(paths));
  const bytes = Buffer.from(output);
  for (let at = 0; at < bytes.length; at += size) reader.add(bytes.subarray(at, at + size));
  reader.close();
  return reader.results(() => undefined);
}

const key = (path: string, previousPath = ''): string => `${previousPath}\0${path}`;

describe(RawChangeReader.name, () => {
  it('returns the status and paths of deleted and renamed files', () => {
    const reader = new RawChangeReader();
    const fields = [
      `:100644 000000 ${HASH} ${'0'.repeat(40)} D`,
      'gone',
      `:100644 100644 ${HASH} ${HASH} R086`,
      'from',
      'to',
    ];
    const changes = fields.flatMap((text) => reader.add({ text, isCut: false }) ?? []);
    expect(changes).toMatchObject([
      {
        status: 'deleted',
        previousMode: '100644',
        mode: null,
        previousHash: HASH,
        hash: null,
        path: { text: 'gone' },
      },
      { status: 'renamed', path: { text: 'to' }, previousPath: { text: 'from' } },
    ]);
    expect(changes.map(keyOf)).toEqual([key('gone'), key('to', 'from')]);
  });
});

describe(PatchReader.name, () => {
  const OUTPUT =
    raw('M', 'a') +
    raw('R090', ':old', '1\t1\tnew') +
    raw('T', 'link') +
    raw('M', 'bytes') +
    raw('M', 'unwanted') +
    '1\t1\ta\0' +
    '2\t0\t\0:old\x001\t1\tnew\0' +
    '1\t1\tlink\0' +
    '-\t-\tbytes\0' +
    '1\t0\tunwanted\0' +
    '\0' +
    section('a', '@@ -1 +1 @@\n-1\n+\0diff --git\n') +
    section('new', '@@ -1 +1,2 @@\n+2\n') +
    section('link', '@@ -1 +0,0 @@\n-x\n') +
    section('link', '@@ -0,0 +1 @@\n+y\n') +
    section('bytes', 'Binary files differ\n') +
    section('unwanted', '@@ -0,0 +1 @@\n+z\n');

  it.each([1, 2, 7, 64, 100_000])('reads patches from chunks of %d bytes', (size) => {
    const patches = read(OUTPUT, size, [key('a'), key('1\t1\tnew', ':old'), key('link'), key('bytes')]);
    expect([...patches]).toEqual([
      [
        key('a'),
        { additions: 1, deletions: 1, patch: '@@ -1 +1 @@\n-1\n+\0diff --git\n', isTruncated: false },
      ],
      [
        key('1\t1\tnew', ':old'),
        { additions: 2, deletions: 0, patch: '@@ -1 +1,2 @@\n+2\n', isTruncated: false },
      ],
      [
        key('link'),
        { additions: 1, deletions: 1, patch: '@@ -1 +0,0 @@\n-x\n@@ -0,0 +1 @@\n+y\n', isTruncated: false },
      ],
      [key('bytes'), { additions: null, deletions: null, patch: null, isTruncated: false }],
      [key('unwanted'), { additions: 1, deletions: 0, patch: null, isTruncated: true }],
    ]);
  });

  it('returns an empty patch for a change without changed lines', () => {
    expect([...read(raw('M', 'a') + '0\t0\ta\0\0' + section('a', ''), 5, [key('a')])]).toEqual([
      [key('a'), { additions: 0, deletions: 0, patch: '', isTruncated: false }],
    ]);
    expect([...read('', 5, [])]).toEqual([]);
  });

  it('truncates patches at the limits per file and in total', () => {
    const paths = Array.from({ length: 12 }, (_nothing, index) => `file-${index}`);
    const lines = `@@ -0,0 +1 @@\n${'+line of text\n'.repeat(MAX_PATCH / 10)}`;
    const output =
      paths.map((path) => raw('M', path)).join('') +
      paths.map((path) => `9\t0\t${path}\0`).join('') +
      '\0' +
      paths.map((path) => section(path, lines)).join('');
    const patches = [
      ...read(
        output,
        65_536,
        paths.map((path) => key(path)),
      ).values(),
    ];
    expect(patches.every(({ additions, isTruncated }) => additions === 9 && isTruncated)).toBe(true);
    const sizes = patches.map(({ patch }) => patch?.length ?? 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PATCH);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_PATCHES);
    expect(patches[0]?.patch).toMatch(/line of text\n$/);
  });
});
