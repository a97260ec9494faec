import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs a folder, which means the names in it; not every platform can open a folder. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and those above it that are missing, and syncs the names of all that it creates: after a power failure, a file in a folder
 * without a name would be lost.
 * @param folder an absolute path
 */
export async function makeSyncedFolder(folder: string, mode?: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}
