import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Kept in memory by Linux, so that no suite waits for a disk. A container may have only 64 MiB there, or none. */
const MEMORY_FOLDER = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** Creates the folder for all temporary files of this run, which `tmpdir()` returns from now on, in every process. */
export function makeTemporaryFolder(): void {
  const parent = process.env.TMPDIR === undefined && isRoomy(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
  process.env.TMPDIR = mkdtempSync(join(parent, 'project-management-tests-'));
}

/** Removes the folder, including the leftovers of killed processes. */
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
