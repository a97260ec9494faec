import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, 'check-titles.mjs');
const FOLDERS = ['bench', 'scripts', 'src', 'test'];

describe('check-titles', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-titles-'));
    for (const name of FOLDERS) mkdirSync(join(folder, name));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('accepts titles that begin with a verb, and those from a table', () => {
    const tests = [
      "it('returns a list', () => {});",
      "it.each([1])('keeps %d', () => {});",
      "it.each([['keeps one']])('%s', () => {});",
      'itOnEmbedded(`lists ${1}`, () => {});',
      "it.each`a\n${1}`('stores $a', () => {});",
      "list.find('of nobody', () => {});",
    ];
    writeFileSync(join(folder, 'test', 'a.e2e-spec.ts'), tests.join('\n'));
    const { status, stdout } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'The titles of 5 tests begin with a verb\n' });
  });

  it('names the titles that do not, with their files', () => {
    const titles = ['of two takes one', 'is what was sent', 'returns …', 'returns a list.', 'return a list'];
    writeFileSync(
      join(folder, 'src', 'a.spec.ts'),
      titles.map((title) => `it.each([1])('${title}', () => {});`).join('\n'),
    );
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').slice(0, -1)).toEqual(
      titles.map((title) => `${join('src', 'a.spec.ts')}: "it ${title}"`),
    );
  });
});
