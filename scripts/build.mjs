// Builds the service into `dist`.
//
//   node scripts/build.mjs                 builds it
//   node scripts/build.mjs --if-changed    does nothing if its sources are those of the last build
//   node scripts/build.mjs --forget        only makes the next `--if-changed` build, because another program builds it now
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the result depends on; `tsconfig.build.json` leaves out the specs. */
const SOURCES = [
  'ormconfig.ts',
  'package-lock.json',
  'package.json',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
];
/** The native compiler (docs/decisions/0057-native-tools.md). */
const COMPILER = join('node_modules', 'typescript-7', 'bin', 'tsc');
const STAMP = join('dist', 'built-from.sha256');

function filesOf(path) {
  if (!existsSync(path) || path.endsWith('.spec.ts')) return [];
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

function build(hash) {
  forget();
  const { status } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  });
  if (status === 0) {
    mkdirSync('dist', { recursive: true });
    writeFileSync(STAMP, hash);
  }
  process.exitCode = status ?? 1;
}

function buildIfChanged() {
  const hash = hashOfSources();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return;
  console.log('Building the service, because its sources have changed. This takes a few seconds.');
  build(hash);
}

if (process.argv.includes('--forget')) forget();
else if (process.argv.includes('--if-changed')) buildIfChanged();
else build(hashOfSources());
