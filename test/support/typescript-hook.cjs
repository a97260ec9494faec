// Lets a plain Node process, started by a test, load the service's TypeScript as Jest does.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { transformSync } = require('@swc/core');
const [, options] = require('../../jest.config.cjs').transform['^.+\\.ts$'];

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename, swcrc: false });
  module._compile(code, filename);
};
require('reflect-metadata');
