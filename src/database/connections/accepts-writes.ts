import { type DataSource } from 'typeorm';
import { serverConnections } from '../mysql/server-connections';
import { isEmbedded } from '../sql/statements';

/** Whether the database accepts writes, as far as is known: a server may be a replica, or a former primary. */
export const acceptsWrites = (dataSource: DataSource): boolean =>
  isEmbedded(dataSource) || serverConnections(dataSource).isWritable;
