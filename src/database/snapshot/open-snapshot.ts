import { type Environment } from '../../config/environment';
import { openServerSnapshot } from './server-snapshot';
import { type Snapshot } from './snapshot';
import { openSqliteSnapshot } from './sqlite-snapshot';

/** Opens a snapshot of the committed data, even while the service runs on the embedded database. Changes nothing. */
export function openSnapshot(settings: Pick<Environment, 'DATABASE_URL'>): Promise<Snapshot> {
  return settings.DATABASE_URL.startsWith('sqlite:')
    ? openSqliteSnapshot(settings)
    : openServerSnapshot(settings);
}
