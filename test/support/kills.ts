import { isInBackground } from './background-statements';
import { KilledError } from './migration-breaks';
import { type World } from './world';

/** What a request with a kill has led to. */
export interface KilledWork<T> {
  result: T;
  /** Whether the work has sent so many statements. */
  wasKilled: boolean;
}

/**
 * Runs requests of which no statement reaches the database any more after a number of them, as if the process had been killed; the database
 * then rolls the open transaction back. The service's own work goes on.
 */
export async function killedAfter<T>(
  world: World,
  statements: number,
  work: () => Promise<T>,
): Promise<KilledWork<T>> {
  await world.whenIdle();
  // Every path to the database calls the logger before it sends a statement.
  const { logger } = world.dataSource;
  const { logQuery } = logger;
  let left = statements;
  let wasKilled = false;
  logger.logQuery = (sql) => {
    if (isInBackground() || /^\s*ROLLBACK\b/i.test(sql)) return;
    wasKilled ||= left-- <= 0;
    if (wasKilled) throw new KilledError();
  };
  try {
    const result = await work();
    return { result, wasKilled };
  } finally {
    logger.logQuery = logQuery;
  }
}
