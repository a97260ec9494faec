// Lets plain Node load the service's TypeScript: in workers of suites, in processes that a test starts, and in threads. Compiled code is
// cached, because compiling the whole service takes longer than most tests.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { threadId } = require('node:worker_threads');
const { addHook } = require('pirates');
const { version } = require('@swc/core/package.json');

const CACHE = join(__dirname, '../../node_modules/.cache/typescript-hook');
/** The settings of `tsconfig.json` that matter, in SWC's words. */
const OPTIONS = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      react: { runtime: 'automatic', importSource: 'hono/jsx' },
    },
    target: 'es2022',
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
  inlineSourcesContent: false,
};
const SETTINGS = JSON.stringify([version, OPTIONS]);

/** The file with the compiled code of each loaded module. */
const loaded = new Map();

addHook(compiled, { exts: ['.ts', '.tsx'] });
require('reflect-metadata');

function compiled(source, filename) {
  const kept = keptAt(source, filename);
  loaded.set(filename, kept);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { transformSync } = require('@swc/core');
    const { code } = transformSync(source, optionsFor(filename));
    keep(kept, code);
    return code;
  }
}

/** Fills the cache, in the threads of SWC. */
async function compileAhead(filenames) {
  const { transform } = require('@swc/core');
  mkdirSync(CACHE, { recursive: true });
  await Promise.all(
    filenames.map(async (filename) => {
      const source = readFileSync(filename, 'utf8');
      const kept = keptAt(source, filename);
      if (!existsSync(kept)) keep(kept, (await transform(source, optionsFor(filename))).code);
    }),
  );
}

function keptAt(source, filename) {
  const key = createHash('sha256').update(`${SETTINGS}\0${filename}\0${source}`).digest('hex');
  return join(CACHE, `${key}.js`);
}

/** Only in pages, angle brackets can begin an element. */
function optionsFor(filename) {
  if (!filename.endsWith('.tsx')) return { ...OPTIONS, filename };
  return { ...OPTIONS, jsc: { ...OPTIONS.jsc, parser: { ...OPTIONS.jsc.parser, tsx: true } }, filename };
}

/** Writes a file under a temporary name and renames it, so that no other process reads half of it. */
function keep(file, code) {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${file}.${process.pid}-${threadId}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, file);
}

/** Returns the source map of a loaded module, as an object; undefined for others. */
function sourceMapOf(filename) {
  const kept = loaded.get(filename);
  if (kept === undefined) return undefined;
  const [, map] =
    /\bsourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(readFileSync(kept, 'utf8')) ?? [];
  return map && JSON.parse(Buffer.from(map, 'base64').toString());
}

module.exports = { compileAhead, sourceMapOf };
