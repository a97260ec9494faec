const { default: Runtime } = require('jest-runtime');
const { dependencies } = require('../../package.json');

/** Whether it is a package that the service depends on, or a file in one. */
const isDependency = (name) => {
  const [scope, rest] = name.split('/', 2);
  return Object.hasOwn(dependencies, scope.startsWith('@') ? `${scope}/${rest}` : scope);
};

/**
 * Loads the packages that the service depends on once for all suites of a worker. Jest loads everything anew for each suite, which
 * for Nest, TypeORM and what they bring takes longer than many of the suites.
 */
module.exports = {
  __esModule: true,
  default: class SharedPackagesRuntime extends Runtime {
    requireModuleOrMock(from, name) {
      if (!isDependency(name) || this.mocksPackage(from, name)) return super.requireModuleOrMock(from, name);
      return require(name);
    }

    mocksPackage(from, name) {
      return this.mockState.shouldMockCjs(from, name).shouldMock;
    }
  },
};
