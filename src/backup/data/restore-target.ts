import { type DataSource } from 'typeorm';
import { type Environment } from '../../config/environment';

/** Settings of a database that a backup is restored into. */
export type TargetSettings = Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>;

/** An empty database that belongs to one restore until it ends. It cannot be used before `commit`. */
export interface RestoreTarget {
  /** The connected data source. */
  readonly dataSource: DataSource;
  /** Settings for other connections to the same database. */
  readonly settings: TargetSettings;
  /** Whether the database still belongs to this restore, as far as known: a process that was stopped for long may have lost it. */
  isHeld: () => boolean;
  /** Makes it the database of the service and disconnects. @throws BackupError if another process has taken it over */
  commit: () => Promise<void>;
  /** Empties it again and disconnects. */
  abandon: () => Promise<void>;
}
