/** How this process uses its connections to one database server. */
export interface PoolUsage {
  /** The server as `host:port`; `embedded` for the embedded database, whose one connection is the writer. */
  host: string;
  inUse: number;
  idle: number;
  /** Statements and transactions that wait for a connection. */
  waiting: number;
  /** Most connections that there can be. */
  limit: number;
}
