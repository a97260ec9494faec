// Builds the service before a start or a build of the tools, unless its sources are those of the last build. Any other build of
// the service begins with `--forget`: the sources it compiles may not be those of the next start.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the result of `npm run build` depends on; `tsconfig.build.json` leaves out the specs. */
const SOURCES = [
  'ormconfig.ts',
  'package-lock.json',
  'package.json',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
];
const SPEC = /\.spec\.ts$/;
const STAMP = join('dist', 'built-from.sha256');

function filesOf(path) {
  if (!existsSync(path) || SPEC.test(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

function hashOfSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf)) {
    const content = readFileSync(file);
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

const forget = () => rmSync(STAMP, { force: true });

function buildIfChanged() {
  const hash = hashOfSources();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return;
  console.log('Building the service, because its sources have changed. This takes a few seconds.');
  forget();
  const { status } = spawnSync('npm', ['run', 'build', '--silent'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) {
    mkdirSync('dist', { recursive: true });
    writeFileSync(STAMP, hash);
  }
  process.exitCode = status ?? 1;
}

if (process.argv.includes('--forget')) forget();
else buildIfChanged();
