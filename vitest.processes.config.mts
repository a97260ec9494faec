import { configFor } from './vitest.config.mts';

/** `npm run test:processes`: the suites that start, stop and kill processes of the service, start it many times, or work with git. */
export default configFor({ include: ['test/**/*.process-spec.ts'] });
