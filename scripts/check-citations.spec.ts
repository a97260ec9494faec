import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPT = join(__dirname, 'check-citations.mjs');

const DOCUMENTS = {
  'README.md': '# Service\n\nSee [limits](docs/limits.md#per-user-a-day) and `docs/limits.md`.\n',
  'docs/limits.md':
    '# Limits\n\n## Per user: `a` day\n\n## Twice\n\n## Twice\n\n```bash\n# no heading\n```\n',
};

describe('check-citations', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-citations-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function check(files: Record<string, string>): { status: number | null; problems: string } {
    for (const [path, text] of Object.entries({ ...DOCUMENTS, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
    return { status, problems: stderr.trim() };
  }

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
    expect(check({ 'src/b.ts': '', [path]: text })).toEqual({ status: 0, problems: '' });
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
    const { status, problems } = check({ [path]: `\n${text}\n` });
    expect(status).toBe(1);
    expect(problems).toMatch(new RegExp(`^${path}:2: .+$`));
  });

  it('finds a citation of a numbered decision across lines', () => {
    const text = '/**\n * Why (decisions,\n * section 7).\n */';
    expect(check({ 'src/a.ts': text }).problems).toMatch(/^src\/a\.ts:2: /);
  });
});
