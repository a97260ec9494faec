import { existsSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { entities } from '../../app.entities';
import { syncFolder } from '../../synced-folders';
import { createDataSource } from '../../database/connections/data-source';
import { DatabaseFile } from '../../database/sqlite/database-file';
import { writeUnsynced } from '../../database/sqlite/sqlite-connections';
import { removeRestoreDraft, restoreDraftOf } from '../../database/sqlite/restore-draft';
import { BackupError } from '../backup.error';
import { type RestoreTarget, type TargetSettings } from './restore-target';

const pathOf = ({ DATABASE_URL }: TargetSettings): string => DATABASE_URL.slice('sqlite:'.length);

/** @throws BackupError if a database already exists */
export function refuseExistingFile(settings: TargetSettings): void {
  const path = pathOf(settings);
  if (path === ':memory:')
    throw new BackupError('A database in memory would be lost when the command ends: set DATABASE_URL.');
  if (existsSync(path) && statSync(path).size > 0) {
    throw new BackupError(
      `${path} already exists: a backup can only be restored into an empty database. Move the file away, or set DATABASE_URL to another file.`,
    );
  }
}

/**
 * Opens a draft beside the configured file and holds the lock of that file. The draft gets the file's name once it is complete; a killed
 * restore leaves a draft, which the next one removes.
 */
export async function openEmbeddedTarget(settings: TargetSettings): Promise<RestoreTarget> {
  const path = pathOf(settings);
  const draft = restoreDraftOf(path);
  const claim = await DatabaseFile.claim(path, true);
  try {
    refuseExistingFile(settings);
    await removeRestoreDraft(path);
    const draftSettings = { ...settings, DATABASE_URL: `sqlite:${draft}` };
    const dataSource = await createDataSource(draftSettings, entities).initialize();
    // The file is not used before it is synced as a whole.
    writeUnsynced(dataSource);
    return {
      dataSource,
      settings: draftSettings,
      isHeld: () => true,
      commit: async () => {
        await dataSource.destroy();
        refuseRest(`${draft}-wal`);
        await sync(draft);
        await rename(draft, path);
        await removeRestoreDraft(path);
        await syncFolder(dirname(path));
        claim.release();
      },
      abandon: async () => {
        if (dataSource.isInitialized) await dataSource.destroy();
        await removeRestoreDraft(path);
        releaseUnused(claim, path);
      },
    };
  } catch (error) {
    releaseUnused(claim, path);
    throw error;
  }
}

/** @throws BackupError if a log has commits that could not be copied into the file, for example because the disk is full */
function refuseRest(log: string): void {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new BackupError(
    'The database could not be completed: check that its disk has space, and run it again.',
  );
}

/** Releases the lock of a file that was not created. */
function releaseUnused(claim: DatabaseFile, path: string): void {
  try {
    claim.release();
  } catch (error) {
    // The lock cannot record the state of a file that does not exist.
    if (existsSync(path)) throw error;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
