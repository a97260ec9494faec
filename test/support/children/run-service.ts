import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { serviceFile } from '../service-file';

/** Failures that no handler catches, by name. */
const FAILURES: Record<string, () => void> = {
  throw: () => {
    setImmediate(() => {
      throw new Error('Thrown by nobody');
    });
  },
  reject: () => void Promise.reject(new Error('Rejected by nobody')),
  'reject nothing': () => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what is tested
    void Promise.reject(undefined);
  },
  'throw twice': () => {
    FAILURES.throw?.();
    FAILURES.throw?.();
  },
};

/**
 * Runs the service as `npm start` does, or that of the package in TEST_PACKAGE, with the given settings, and triggers the failure named
 * by each line of the standard input.
 */
function runService(settings: string): void {
  Object.assign(process.env, JSON.parse(settings));
  createInterface(process.stdin).on('line', (line) => FAILURES[line]?.());
  // The module reads the settings when it is loaded.
  createRequire(__filename)(serviceFile('main'));
}

runService(process.argv[2] as string);
