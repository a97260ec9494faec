import { Environment } from '../../config/environment';
import { hasRestoreDraft, removeRestoreDraft } from '../../database/sqlite/restore-draft';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { type Fault, type Repair } from './repair';

/**
 * How long a restore must not have touched its git repositories, in milliseconds: it may be restoring into another database, and touches
 * them each minute.
 */
const OLD_MS = 3_600_000;

type Subject = 'database' | 'repositories';

/** Removes what killed restores have left beside a database that is complete. An incomplete one is restored again instead. */
export const restores: Repair<Subject> = {
  check: 'restore',

  find: ({ environment }) => findLeftRestores(environment),

  async fix(services, subject) {
    const environment = services(Environment);
    // The database is open here, which no restore into it allows.
    if (subject === 'database')
      return environment.isEmbeddedDatabase && removeRestoreDraft(environment.databaseName);
    const store = services(GitStore);
    if (!(await store.hasLeftRestore(OLD_MS))) return false;
    await store.removeRestore();
    return true;
  },
};

/** Yields what killed restores have left. */
export async function* findLeftRestores(environment: Environment): AsyncGenerator<Fault<Subject>> {
  if (environment.isEmbeddedDatabase && hasRestoreDraft(environment.databaseName)) {
    yield {
      line: `A restore that began before this database was created was killed and left ${environment.databaseName}.restore: to be removed.`,
      subject: 'database',
    };
  }
  const store = new GitStore(environment, new GitProgram(environment));
  if (await store.hasLeftRestore(OLD_MS)) {
    yield {
      line: `A restore was killed after its database was complete, or was abandoned, and left ${store.restoreFolder}: to be removed.`,
      subject: 'repositories',
    };
  }
}
