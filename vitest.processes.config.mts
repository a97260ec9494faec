import { configFor } from './vitest.config.mts';

/** Suites that a run on a server leaves out: what they show depends on git, files or other services, and not on the database. */
const ON_NO_SERVER = [
  'test/exports/folders.process-spec.ts',
  'test/git/{contents,demo-repository,full-disk,git-limits,import,pull-request-contents,real-contents}.process-spec.ts',
  'test/git/{serving,serving-limits,storage}.process-spec.ts',
  'test/process/{engine-scripts,package,private-files}.process-spec.ts',
  'test/sources/{csv,github,gitlab}.process-spec.ts',
  'test/tracing/tracing.process-spec.ts',
];

/** `npm run test:processes`: the suites that start, stop and kill processes of the service, start it many times, or work with git. */
export default configFor({
  include: ['test/**/*.process-spec.ts'],
  exclude: process.env.TEST_DATABASE_URL ? ON_NO_SERVER : [],
});
