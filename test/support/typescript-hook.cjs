// Lets plain Node load the service's TypeScript: in processes that a test starts, and in threads. Compiled code is cached, because
// compiling the whole service takes longer than most tests.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
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
};
const SETTINGS = JSON.stringify([version, OPTIONS]);

addHook(compiled, { exts: ['.ts', '.tsx'] });
require('reflect-metadata');

function compiled(source, filename) {
  const key = createHash('sha256').update(`${SETTINGS}\0${filename}\0${source}`).digest('hex');
  const kept = join(CACHE, `${key}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { transformSync } = require('@swc/core');
    const { code } = transformSync(source, { ...optionsFor(filename), filename });
    keep(kept, code);
    return code;
  }
}

/** Only in pages, angle brackets can begin an element. */
function optionsFor(filename) {
  if (!filename.endsWith('.tsx')) return OPTIONS;
  return { ...OPTIONS, jsc: { ...OPTIONS.jsc, parser: { ...OPTIONS.jsc.parser, tsx: true } } };
}

/** Writes a file under a temporary name and renames it, so that no other process reads half of it. */
function keep(file, code) {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${file}.${process.pid}-${threadId}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, file);
}
