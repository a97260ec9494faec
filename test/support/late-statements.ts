import { type World } from './world';

const WAIT_MS = 30_000;

/**
 * Makes the next statement of a kind appear to wait for a lock for half a minute, until all mocks are restored.
 * @returns a function that returns the time at the end of the wait
 */
export function delayStatement(world: World, kind: RegExp): () => number {
  const { now } = Date;
  const { logger } = world.dataSource;
  const logQuery = logger.logQuery.bind(logger);
  let waited = 0;
  let end: number | undefined;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + waited);
  // Every path to the database calls the logger before it sends a statement.
  vi.spyOn(logger, 'logQuery').mockImplementation((sql, ...rest) => {
    if (end === undefined && kind.test(sql)) {
      waited = WAIT_MS;
      end = Date.now();
    }
    logQuery(sql, ...rest);
  });
  return () => {
    if (end === undefined) throw new Error(`No statement matches ${kind}.`);
    return end;
  };
}
