import mysql, { type Pool, type PoolConnection } from 'mysql2';

/**
 * Has the server of the tests give ids in steps, as the servers of a cluster do: nothing may take them for 1, 2, 3. In every
 * connection that this process opens.
 */
const { createPool } = mysql;
mysql.createPool = ((...parameters: Parameters<typeof createPool>): Pool =>
  createPool(...parameters).on('connection', (connection: PoolConnection) => {
    connection.query('SET SESSION auto_increment_increment = 3, SESSION auto_increment_offset = 2');
  })) as typeof createPool;
