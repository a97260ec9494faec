import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the sizes of the files in a storage folder by key, and the keys of partial files. */
export async function readStorage(
  folder: string,
): Promise<{ whole: Map<string, number>; partial: string[] }> {
  const whole = new Map<string, number>();
  const partial: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    if (entry.parentPath.endsWith('partial')) partial.push(entry.name);
    else whole.set(entry.name, (await stat(join(entry.parentPath, entry.name))).size);
  }
  return { whole, partial };
}
