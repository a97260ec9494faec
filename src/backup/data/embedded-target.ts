import { existsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { entities } from '../../app.entities';
import { syncFolder } from '../../attachments/local-file-storage';
import { createDataSource } from '../../database/data-source';
import { DatabaseFile } from '../../database/sqlite/database-file';
import { BackupError } from '../backup.error';
import { type RestoreTarget, type TargetSettings } from './restore-target';

/** What a draft consists of while it is open, and after a kill. */
const PARTS = ['', '-wal', '-shm', '.lock', '.lock-journal'];

const pathOf = ({ DATABASE_URL }: TargetSettings): string => DATABASE_URL.slice('sqlite:'.length);

/** @throws BackupError when there is a database already */
export function refuseExistingFile(settings: TargetSettings): void {
  const path = pathOf(settings);
  if (path === ':memory:')
    throw new BackupError('A database in memory would be gone at once: set DATABASE_URL.');
  if (existsSync(path) && statSync(path).size > 0) {
    throw new BackupError(
      `${path} exists already: a backup is restored into an empty place. Move it away, or set DATABASE_URL to another file.`,
    );
  }
}

/**
 * A file beside the one of the setting, whose lock is held meanwhile. It gets its name when everything is in it; a restore that was
 * killed leaves the file under the other name, which the next one removes.
 */
export async function openEmbeddedTarget(settings: TargetSettings): Promise<RestoreTarget> {
  const path = pathOf(settings);
  const draft = `${path}.restore`;
  const removeDraft = async (): Promise<void> => {
    for (const file of PARTS.map((part) => draft + part)) await rm(file, { force: true });
  };
  const claim = await DatabaseFile.claim(path);
  try {
    refuseExistingFile(settings);
    await removeDraft();
    const draftSettings = { ...settings, DATABASE_URL: `sqlite:${draft}` };
    const dataSource = await createDataSource(draftSettings, entities).initialize();
    // Nobody uses the file before it is synced as a whole.
    await dataSource.query('PRAGMA synchronous = OFF');
    return {
      dataSource,
      settings: draftSettings,
      check: () => undefined,
      commit: async () => {
        await dataSource.destroy();
        await sync(draft);
        await rename(draft, path);
        await removeDraft();
        await syncFolder(dirname(path));
        claim.release();
      },
      abandon: async () => {
        if (dataSource.isInitialized) await dataSource.destroy();
        await removeDraft();
        releaseUnused(claim, path);
      },
    };
  } catch (error) {
    releaseUnused(claim, path);
    throw error;
  }
}

/** Gives the lock of a file back that has not come to be. */
function releaseUnused(claim: DatabaseFile, path: string): void {
  try {
    claim.release();
  } catch (error) {
    // The lock notes how its file was closed, of which there is none.
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
