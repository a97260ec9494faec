import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps it in memory, so that no suite waits for a disk. A container may give it 64 MiB only, or have none. */
const MEMORY_FOLDER = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** Makes the folder that everything temporary of this run is in, which `tmpdir()` names from here on, in every process. */
export function makeTemporaryFolder(): void {
  const parent = process.env.TMPDIR === undefined && isRoomy(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
  process.env.TMPDIR = mkdtempSync(join(parent, 'project-management-tests-'));
}

/** Removes it, with what killed processes have left there. */
export function removeTemporaryFolder(): void {
  rmSync(tmpdir(), { recursive: true });
}

function isRoomy(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
