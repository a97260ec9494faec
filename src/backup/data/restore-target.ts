import { type DataSource } from 'typeorm';
import { type Environment } from '../../config/environment';

/** The settings of a database that a backup is restored into. */
export type TargetSettings = Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>;

/** An empty database that belongs to one restore until that ends. Nobody can use it before `commit`. */
export interface RestoreTarget {
  /** Connected. */
  readonly dataSource: DataSource;
  /** Where another connection finds the same database. */
  readonly settings: TargetSettings;
  /** @throws BackupError when another process has taken it over */
  check: () => void;
  /** Makes it the database of the service, and disconnects. */
  commit: () => Promise<void>;
  /** Empties it again, and disconnects. */
  abandon: () => Promise<void>;
}
