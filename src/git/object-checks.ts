import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NOBODY } from './git-pools';
import { type GitProgram } from './git-program';

/** Old histories contain these, and nothing depends on them: the large hosts accept them too (`docs/git.md#importing-a-repository`). */
const ACCEPTED_FAULTS = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode'];
/** A check takes as long as the repository is large. */
const TIMEOUT_MS = 24 * 3_600_000;

/** Returns the settings with which git checks each object that a command receives. */
export const receivedObjectChecks = (command: 'receive' | 'fetch'): Record<string, string> => ({
  'transfer.fsckObjects': 'true',
  [`${command}.fsckObjects`]: 'true',
  ...Object.fromEntries(ACCEPTED_FAULTS.map((fault) => [`${command}.fsck.${fault}`, 'ignore'])),
});

/**
 * Checks the packs of a repository as those of pushes are checked. Not every version of git checks bundles: 2.39 does not.
 * @throws GitError that names the first object with a fault
 */
export async function checkPackedObjects(git: GitProgram, repository: string): Promise<void> {
  const faults = ACCEPTED_FAULTS.map((fault) => `${fault}=ignore`).join(',');
  const folder = join(repository, 'objects', 'pack');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.pack')) continue;
    await git.run(['index-pack', '--verify', `--strict=${faults}`, join(folder, name)], {
      repository,
      userId: NOBODY,
      config: { 'pack.threads': '1', 'core.bigFileThreshold': '32m' },
      // Git compares each object with the stored one, and holds both: what could be unpacked can be checked.
      memoryShare: 2,
      timeoutMs: TIMEOUT_MS,
    });
  }
}
