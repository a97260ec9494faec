import mysql, { type Pool, type PoolConnection } from 'mysql2';

type CreatePool = typeof mysql.createPool & { givesIdsInSteps?: true };

/**
 * Has the server of the tests give ids in steps, as the servers of a cluster do: nothing may take them for 1, 2, 3. In every
 * connection that this process opens.
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
