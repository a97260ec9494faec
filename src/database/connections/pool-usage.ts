/** Usage of this process's connections to one database server. */
export interface PoolUsage {
  /** The server as `host:port`; `embedded` for the embedded database, where the only connection is the writer. */
  host: string;
  inUse: number;
  idle: number;
  /** Number of statements and transactions that wait for a connection. */
  waiting: number;
  /** Maximum number of connections. */
  limit: number;
}
