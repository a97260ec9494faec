// Jest loads TypeScript itself; threads that the service starts are plain Node, and inherit these arguments to load it.
process.execArgv = [
  '--require',
  require.resolve('./typescript-hook.cjs'),
  '--disable-warning=ExperimentalWarning',
];
