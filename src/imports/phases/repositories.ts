import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImportedRepositoriesService } from '../../git-repositories/storage/imported-repositories.service';
import { partsOf, type PlannedContext } from '../import-context';
import { ImportError } from '../import.error';

/** Creates the git repositories of the archive, one after the other. */
export async function makeRepositories(
  context: PlannedContext,
  repositories: ImportedRepositoriesService,
): Promise<void> {
  const { folder, ids, lease, plan } = context;
  const { count } = plan.repositories;
  if (count === 0 || lease.position.done >= count) return;
  if (!(await repositories.isAvailable())) {
    throw new ImportError(
      'Git is needed for the git repositories of the archive: install it, or set GIT_PATH, and resume.',
    );
  }
  const bundle = join(folder, 'repository.bundle');
  let number = 1;
  for await (const part of partsOf(context)) {
    if (part.type === 'bundle') {
      if (number <= lease.position.done) continue;
      const file = await open(bundle, part.part === 1 ? 'w' : 'a', 0o600);
      try {
        for await (const chunk of part.content()) await file.writeFile(chunk);
      } finally {
        await file.close();
      }
    } else if (part.type === 'repository') {
      const done = number++;
      if (done <= lease.position.done) continue;
      const { head, parts } = part.contents;
      await repositories.make(
        { id: ids.of('gitRepository', part.id), head, ...(parts > 0 && { bundle }) },
        (work) => lease.write(work),
        (work) => lease.move({ done }, work),
      );
      await rm(bundle, { force: true });
      context.progress(done, count);
    }
  }
}
