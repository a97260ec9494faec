import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPT = join(__dirname, 'build.mjs');
const COMPILER = 'node_modules/typescript-7/bin/tsc';

describe('the build before a start', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'project-management-build-'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'main.ts'), '1');
    mkdirSync(dirname(join(folder, COMPILER)), { recursive: true });
    setCompiler("require('fs').appendFileSync('builds', 'x')");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Sets the script that runs instead of the compiler. */
  const setCompiler = (script: string): void => writeFileSync(join(folder, COMPILER), script);

  const run = (option = '--if-changed'): string =>
    execFileSync(process.execPath, [SCRIPT, option], { cwd: folder, encoding: 'utf8' });
  const builds = (): string => readFileSync(join(folder, 'builds'), 'utf8');

  it('announces the build and compiles unchanged sources only once', () => {
    expect(run()).toMatch(/^Building the service/);
    expect(run()).toBe('');
    expect(builds()).toBe('x');
  });

  it('compiles again after a source changes or is added', () => {
    run();
    writeFileSync(join(folder, 'src', 'main.ts'), '2');
    run();
    writeFileSync(join(folder, 'src', 'other.ts'), '');
    run();
    expect(builds()).toBe('xxx');
  });

  it.each(['src/main.spec.ts', 'bench/main.ts', 'scripts/openapi.ts', 'test/main.e2e-spec.ts'])(
    'ignores the new file %s',
    (file) => {
      run();
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
      expect(run()).toBe('');
    },
  );

  it('compiles again after a call with --forget', () => {
    run();
    run('--forget');
    run();
    expect(builds()).toBe('xx');
  });

  it('exits with the code of the compiler and compiles again after a failure', () => {
    setCompiler("require('fs').appendFileSync('builds', 'x'); process.exit(3)");
    for (let times = 0; times < 2; times++)
      expect(() => run()).toThrow(expect.objectContaining({ status: 3 }));
    expect(builds()).toBe('xx');
  });
});
