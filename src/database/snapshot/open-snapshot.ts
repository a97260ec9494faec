import { type Environment } from '../../config/environment';
import { openServerSnapshot } from './server-snapshot';
import { type Snapshot } from './snapshot';
import { openSqliteSnapshot } from './sqlite-snapshot';

/** Opens a snapshot of what is committed now, also while the service runs, be it on the embedded database. Changes nothing. */
export function openSnapshot(settings: Pick<Environment, 'DATABASE_URL'>): Promise<Snapshot> {
  return settings.DATABASE_URL.startsWith('sqlite:')
    ? openSqliteSnapshot(settings)
    : openServerSnapshot(settings);
}
