import { opendir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from '../errors/missing-file';
import { syncFolder } from '../synced-folders';

/** How much earlier than expected a file may seem to have been changed, because the clocks of machines differ, in milliseconds. */
const MARGIN_MS = 10 * 60_000;

/**
 * Syncs the folders with the packs and refs of a repository. Git syncs the files that it writes, but not their folders, so that after a
 * power failure a file could have its old content or no name.
 * @param refs the full names of refs that have changed
 */
export async function syncRefs(repository: string, refs: readonly string[]): Promise<void> {
  const folders = new Set(['objects', 'objects/pack', '.']);
  for (const ref of refs) {
    for (let folder = dirname(ref); folder !== '.' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  for (const folder of folders) await syncIfPresent(join(repository, folder));
}

/** Syncs the files of refs that have files of their own. */
export async function syncRefFiles(repository: string, refs: readonly string[]): Promise<void> {
  for (const ref of refs) await syncIfPresent(join(repository, ref));
}

/** Syncs the folders of objects that are not in packs, if they have changed since a time in milliseconds since 1970. */
export async function syncObjects(repository: string, since: number): Promise<void> {
  const objects = join(repository, 'objects');
  for await (const { name } of await opendir(objects)) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    const folder = join(objects, name);
    if ((await changedAt(folder)) >= since - MARGIN_MS) await syncIfPresent(folder);
  }
  await syncIfPresent(objects);
}

/** Syncs `HEAD` and all folders of a repository that nobody uses yet. Git has synced its packs and refs. */
export async function syncRepository(repository: string): Promise<void> {
  await syncIfPresent(join(repository, 'HEAD'));
  const folders = [repository];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opendir(folder))
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
    await syncIfPresent(folder);
  }
}

/** Syncs a folder or a file of a repository. Does nothing if it is missing, perhaps because git has removed it. */
export async function syncIfPresent(path: string): Promise<void> {
  try {
    await syncFolder(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function changedAt(folder: string): Promise<number> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
