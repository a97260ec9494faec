const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');

/** The contexts of environments whose code runs in the worker's own context. */
const shared = new WeakSet();
/** V8's cached data for the code of each file, for the next suite that loads it. */
const compiled = new Map();

const { compileFunction } = vm;
vm.compileFunction = (source, parameters, options) => {
  if (!shared.has(options?.parsingContext)) return compileFunction(source, parameters, options);
  const { filename } = options;
  const known = compiled.get(filename);
  const cachedData = known?.source === source ? known.data : undefined;
  const made = compileFunction(source, parameters, {
    ...options,
    parsingContext: undefined,
    ...(cachedData ? { cachedData } : { produceCachedData: true }),
  });
  if (made.cachedData) compiled.set(filename, { source, data: made.cachedData });
  return made;
};
const { runInContext } = vm.Script.prototype;
vm.Script.prototype.runInContext = function (context, options) {
  return shared.has(context) ? this.runInThisContext(options) : runInContext.call(this, context, options);
};

/**
 * Runs a suite in the worker's own context instead of a new one, so that packages can be loaded once for all suites of a worker
 * (`shared-modules-runtime.cjs`): an error or a date created by a package is then an `Error` or a `Date` of the suite too. Jest has
 * no setting for it.
 */
module.exports = class SharedContextEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    shared.add(this.context);
    this.global = globalThis;
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  /** Replaces Jest's own teardown, which would empty the global object. */
  teardown() {
    // Otherwise a spy on a package would affect the next suite.
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    this.context = null;
  }
};
