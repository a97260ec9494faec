import { type DataSource } from 'typeorm';
import { serverConnections } from '../mysql/server-connections';
import { isEmbedded } from '../sql/statements';
import { canSync } from '../sqlite/sqlite-connections';

/** Whether the database accepts writes, as far as is known: a server may be a replica, or a former primary; a disk may fail. */
export const acceptsWrites = (dataSource: DataSource): boolean =>
  isEmbedded(dataSource) ? canSync(dataSource) : serverConnections(dataSource).isWritable;
