import { access, constants, mkdir, open } from 'node:fs/promises';
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

/** Folders whose names this process knows to be synced, and those of the folders above them. Nobody removes them but an operator. */
const lasting = new Set<string>();

/**
 * Creates a folder and those above it that are missing, and syncs their names: after a power failure, a file in a folder without a name
 * would be lost. Those that exist already may have been created by another call or process that has not synced them yet.
 * @param folder an absolute path
 */
export async function makeSyncedFolder(folder: string, mode?: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  const named: string[] = [];
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const isNew = first !== undefined && path.length >= first.length;
    if (!isNew && (lasting.has(path) || !(await isWritable(dirname(path))))) break;
    await syncFolder(dirname(path));
    named.push(path);
  }
  for (const path of named) lasting.add(path);
}

/** Whether another process like this one could have created something in a folder. */
const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
