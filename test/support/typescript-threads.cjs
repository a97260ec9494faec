// Jest loads TypeScript itself; threads that the service starts are plain Node, and load it as this process is said to.
process.execArgv = [
  '--require',
  require.resolve('./typescript-hook.cjs'),
  '--disable-warning=ExperimentalWarning',
];
