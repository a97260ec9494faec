import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCRIPT = join(__dirname, 'check-citations.mjs');
const MODULE = pathToFileURL(join(__dirname, 'support/citations.mjs')).href;

const DOCUMENTS = {
  'README.md': '# Service\n\nSee [limits](docs/limits.md#per-user-a-day) and `docs/limits.md`.\n',
  'docs/limits.md':
    '# Limits\n\n## Per user: `a` day\n\n## Twice\n\n## Twice\n\n```bash\n# no heading\n```\n',
};

describe('check-citations', () => {
  let checkCitations: (root: string) => { problems: string[]; files: number };
  let folder: string;

  beforeAll(async () => {
    ({ checkCitations } = (await import(MODULE)) as { checkCitations: typeof checkCitations });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-citations-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries({ ...DOCUMENTS, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  function problemsOf(files: Record<string, string>): string[] {
    write(files);
    return checkCitations(folder).problems;
  }

  /** Runs the program itself; the other tests call its module. */
  function run(files: Record<string, string>): { status: number | null; stdout: string; stderr: string } {
    write(files);
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  it('prints how many files it has checked', () => {
    expect(run({ 'src/a.ts': '// docs/limits.md' })).toEqual({
      status: 0,
      stdout: 'Every citation in 3 files leads to a document\n',
      stderr: '',
    });
  });

  it('fails and prints each problem in a line', () => {
    const { status, stdout, stderr } = run({ 'src/a.ts': '// docs/missing.md\n// Spec 4.1.' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^src\/a\.ts:1: .+\nsrc\/a\.ts:2: .+\n$/);
  });

  it.each([
    ['a document', 'src/a.ts', '// (`docs/limits.md`).'],
    ['a heading', 'src/a.ts', '/** See docs/limits.md#per-user-a-day. */'],
    ['a heading that comes twice', 'src/a.ts', '// docs/limits.md#twice-1'],
    ['a link to a file of another kind', 'docs/a.md', '[source](../src/b.ts)'],
    ['a link to a folder', 'docs/a.md', '[all](../src/)'],
    ['a link within a document', 'docs/a.md', '# A b\n\n[above](#a-b)'],
    ['a link to another site', 'docs/a.md', '[elsewhere](https://example.com/docs/x.md)'],
    ['a URL', 'src/a.ts', '// https://example.com/docs/x.md'],
    ['the name of a test', 'src/a.ts', '// paging.e2e-spec.ts asks for 4.5 of them'],
    ['a missing document cited in a dependency', 'node_modules/a/a.ts', '// docs/missing.md'],
  ])('accepts %s', (_what, path, text) => {
    expect(problemsOf({ 'src/b.ts': '', [path]: text })).toEqual([]);
  });

  it.each([
    ['a missing document', 'src/a.ts', '// docs/missing.md'],
    ['a missing document at the root', 'src/a.ts', '// wire.md'],
    ['a missing heading', 'src/a.ts', '// docs/limits.md#twice-2'],
    ['a shell comment cited as a heading', 'src/a.ts', '// docs/limits.md#no-heading'],
    ['a missing document in prose', 'docs/a.md', 'See `docs/missing.md`.'],
    ['a link to a missing file', 'docs/a.md', '[missing](missing.md)'],
    ['a link to a missing heading', 'docs/a.md', '[limits](limits.md#missing)'],
    ['a link within a document to a missing heading', 'docs/a.md', '[below](#missing)'],
    ['a numbered decision', 'src/a.ts', '/** Why (decisions, section 7). */'],
    ['a number of the specification', 'src/a.ts', '/** Spec 4.1. */'],
    ['a section of the specification', 'src/a.ts', '/** spec, section 2.3. */'],
    ['a section of the contract', 'src/a.ts', '/** Section 4 of the contract */'],
    ['the number of a body', 'src/a.ts', '/** Body of 4.3. */'],
    ['a section number alone', 'src/a.ts', '/** 4.1 for one pull request. */'],
  ])('refuses %s', (_what, path, text) => {
    expect(problemsOf({ [path]: `\n${text}\n` })).toEqual([
      expect.stringMatching(new RegExp(`^${path}:2: .+$`)),
    ]);
  });

  it('finds a citation of a numbered decision across lines', () => {
    const text = '/**\n * Why (decisions,\n * section 7).\n */';
    expect(problemsOf({ 'src/a.ts': text })).toEqual([expect.stringMatching(/^src\/a\.ts:2: /)]);
  });
});
