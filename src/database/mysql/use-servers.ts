import { type ConnectionOptions } from 'mysql2';
import { type DataSource } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { type ServerUrl } from '../../config/server-url';
import { StartRefusedError } from '../connections/start-refused.error';
import { NoWritableServerError } from './no-writable-server.error';
import { serverConnections, type ServerExtra } from './server-connections';
import { Servers } from './servers';

/**
 * Connects a data source to the first of its servers that accepts writes, and to the next if that one fails. Rejects a server of another
 * product than the URL specifies, because their statements differ.
 * @param onlyReads whether a server that accepts no writes will do
 */
export function useServers(dataSource: DataSource, url: ServerUrl, onlyReads: boolean): void {
  const { servers: addresses, syncWait, type, username: user, password } = url;
  const driver = dataSource.driver as MysqlDriver;
  const connections = serverConnections(dataSource);
  const options = { user, password, ssl: driver.options.ssl as ConnectionOptions['ssl'] };
  const servers = new Servers(addresses, options, onlyReads, (isAffected) =>
    connections.destroyWhere(isAffected),
  );
  (driver.options.extra as ServerExtra).stream = servers.open;
  connections.use(servers, syncWait);

  const connect = driver.connect.bind(driver);
  driver.connect = async () => {
    await connectToFirst(servers, connect);
    try {
      refuseReadOnly(servers);
      await refuseOtherProduct(dataSource, type);
    } catch (error) {
      await disconnect();
      throw error;
    }
    servers.watch();
  };
  const disconnect = driver.disconnect.bind(driver);
  driver.disconnect = async () => {
    servers.stop();
    await disconnect();
  };
}

/** @throws NoWritableServerError if no server can be connected to, and one of them is read-only */
async function connectToFirst(servers: Servers, connect: () => Promise<void>): Promise<void> {
  for (;;) {
    const server = servers.current;
    // A node that is still joining accepts connections but rejects statements.
    await servers.checkServer(server);
    if (servers.current !== server) continue;
    try {
      await connect();
      return;
    } catch (error) {
      if (servers.fail(server, (error as Error).message)) continue;
      if (!servers.isReadOnly) refuseReadOnly(servers);
      throw error;
    }
  }
}

/** @throws NoWritableServerError if a server is read-only and no other accepts writes */
function refuseReadOnly(servers: Servers): void {
  const reason = servers.isWritable ? undefined : servers.readOnlyReason;
  if (reason !== undefined) throw new NoWritableServerError(reason);
}

/** @throws StartRefusedError if the server is MariaDB but the URL specifies `mysql`, or vice versa */
async function refuseOtherProduct(dataSource: DataSource, type: ServerUrl['type']): Promise<void> {
  const [{ version }] = await dataSource.query<[{ version: string }]>('SELECT VERSION() AS version');
  const actual = version.includes('MariaDB') ? 'mariadb' : 'mysql';
  if (actual === type) return;
  throw new StartRefusedError(
    `DATABASE_URL begins with ${type}://, but the server is ${version}: write ${actual}:// instead.`,
  );
}
