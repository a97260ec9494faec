// Lets `import` load the service's TypeScript as `require` does, and from the same cache of modules.
const { register, registerHooks } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
require('./typescript-hook.cjs');

// Node 20 and 22.13 call hooks in a thread of their own.
if (registerHooks) {
  const { load } = require('./typescript-loader.cjs');
  registerHooks({ load });
} else register(pathToFileURL(join(__dirname, 'typescript-loader.cjs')));
