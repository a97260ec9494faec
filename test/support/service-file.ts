import { join } from 'node:path';

/**
 * Finds a module of the service that a child process runs: of the unpacked package in TEST_PACKAGE, which is what users run, or of
 * the sources.
 */
export const serviceFile = (name: 'main' | 'cli/main'): string =>
  join(
    process.env.TEST_PACKAGE ? join(process.env.TEST_PACKAGE, 'dist/src') : join(__dirname, '../../src'),
    name,
  );
