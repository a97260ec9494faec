import mysql, { type Pool, type PoolConnection } from 'mysql2';

type CreatePool = typeof mysql.createPool & { givesIdsInSteps?: true };

/**
 * Makes the test server assign ids in steps, as the servers of a cluster do, in every connection of this process: no test may
 * assume 1, 2, 3.
 */
const createPool: CreatePool = mysql.createPool;
// The package is loaded once for all suites of a worker.
if (!createPool.givesIdsInSteps) {
  const createSteppingPool = (...parameters: Parameters<typeof createPool>): Pool =>
    createPool(...parameters).on('connection', (connection: PoolConnection) => {
      connection.query('SET SESSION auto_increment_increment = 3, SESSION auto_increment_offset = 2');
    });
  mysql.createPool = Object.assign(createSteppingPool as typeof createPool, {
    givesIdsInSteps: true as const,
  });
}
