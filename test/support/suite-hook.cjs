// What a worker of Vitest needs to load the service: as plain Node does, but with the checks of rows, and with the counters of paths if
// the run records them.
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');
const { addHook } = require('pirates');

const SERVICE = join(__dirname, '../../src/');

const edits = [];
// Hooks run in the order of their addition: the source is changed before SWC compiles it. The threads of the service, which inherit the
// arguments of the worker, have no checks.
if (isMainThread) {
  addHook((source, file) => edits.reduce((text, edit) => edit(text, file), source), {
    exts: ['.ts', '.tsx'],
    matcher: (file) => file.startsWith(SERVICE),
  });
}
require('./typescript-imports.cjs');
if (isMainThread) {
  edits.push(require('./row-types/stated-rows').withRowChecks);
  if (process.env.TEST_ENGINE_RECORD) edits.push(require('./path-counters').withPathCounters);
}
