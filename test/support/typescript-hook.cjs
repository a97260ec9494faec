// Lets plain Node load the service's TypeScript as Jest does: in processes that a test starts, and for the modules that suites
// share. Compiled code is cached, as in Jest, because compiling the whole service takes longer than most tests.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { threadId } = require('node:worker_threads');
const { version } = require('@swc/core/package.json');
const [, options] = require('../../jest.config.cjs').transform['^.+\\.ts$'];

const CACHE = join(__dirname, '../../node_modules/.cache/typescript-hook');
const SETTINGS = JSON.stringify([version, options, 'with source map']);

/** Path of the source map of each loaded file. */
const sourceMaps = new Map();
module.exports = { sourceMaps };

Module._extensions['.ts'] = (module, filename) => {
  module._compile(compiled(readFileSync(filename, 'utf8'), filename), filename);
};
require('reflect-metadata');

function compiled(source, filename) {
  const key = createHash('sha256').update(`${SETTINGS}\0${filename}\0${source}`).digest('hex');
  const kept = join(CACHE, `${key}.js`);
  sourceMaps.set(filename, `${kept}.map`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { transformSync } = require('@swc/core');
    const { code, map } = transformSync(source, { ...options, filename, swcrc: false, sourceMaps: true });
    keep(`${kept}.map`, map);
    keep(kept, code);
    return code;
  }
}

/** Writes a file under a temporary name and renames it, so that no other process reads half of it. */
function keep(file, code) {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${file}.${process.pid}-${threadId}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, file);
}
