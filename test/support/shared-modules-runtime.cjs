const asyncHooks = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { isAbsolute, join, sep } = require('node:path');
const { default: Runtime } = require('jest-runtime');
const { sourceMaps } = require('./typescript-hook.cjs');

const ROOT = join(__dirname, '../..') + sep;
const PACKAGES = join(ROOT, 'node_modules') + sep;
/** Packages that Jest provides anew to each suite. */
const OF_JEST = /^(@jest|jest-[^/]+|expect|@swc)(\/|$)/;
const TEST_FILE = /[.-]spec\.ts$/;
/** Matches suites that replace or reload modules, and therefore need their own. */
const REPLACES_MODULES = /\bjest\.(mock|doMock|unmock|isolateModules|resetModules)\b/;

/**
 * Replaces an `AsyncLocalStorage` where work is sequential, like the tests of a suite. A real one per suite would be carried by
 * every promise of all later suites in the worker.
 */
class SequentialStorage {
  getStore() {
    return this.store;
  }

  async run(store, work) {
    const before = this.store;
    this.store = store;
    try {
      return await work();
    } finally {
      this.store = before;
    }
  }
}

/**
 * Loads packages and the project's own modules once for all suites of a worker, as a process of the service does. Jest loads
 * everything anew for each suite, which takes longer than many of the suites. Modules may therefore keep only such state between
 * suites as they may keep between two services in one process.
 */
module.exports = {
  __esModule: true,
  default: class SharedModulesRuntime extends Runtime {
    constructor(...parameters) {
      super(...parameters);
      const testFile = parameters.find((parameter) => TEST_FILE.test(parameter));
      this.sharesModules = !REPLACES_MODULES.test(readFileSync(testFile, 'utf8'));
      this.requires = new Map();
    }

    /** Jest's own modules keep the running test in a storage. */
    requireInternalModule(from, name) {
      const { AsyncLocalStorage } = asyncHooks;
      asyncHooks.AsyncLocalStorage = SequentialStorage;
      try {
        return super.requireInternalModule(from, name);
      } finally {
        asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
      }
    }

    requireModuleOrMock(from, name) {
      const file = this.sharedFile(from, name);
      return file === undefined ? super.requireModuleOrMock(from, name) : require(file);
    }

    /** Returns the file of a module that suites share; undefined for all others. */
    sharedFile(from, name) {
      const isOwn = name.startsWith('.') || isAbsolute(name);
      if (isOwn ? !this.sharesModules : OF_JEST.test(name) || this.mocksPackage(from, name)) return undefined;
      const file = this.requireOf(from).resolve(name);
      if (!file.startsWith(ROOT) || TEST_FILE.test(file)) return undefined;
      return isOwn && file.startsWith(PACKAGES) ? undefined : file;
    }

    mocksPackage(from, name) {
      return this.mockState.shouldMockCjs(from, name).shouldMock;
    }

    requireOf(from) {
      let found = this.requires.get(from);
      if (!found) {
        found = createRequire(from);
        this.requires.set(from, found);
      }
      return found;
    }

    /** Maps errors to their source for Jest, which calls this once, before any module is loaded. */
    getSourceMaps() {
      const ofSuite = super.getSourceMaps();
      ofSuite.get = (file) => Map.prototype.get.call(ofSuite, file) ?? sourceMaps.get(file);
      return ofSuite;
    }
  },
};
