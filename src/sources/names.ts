/** Names that the service accepts, made of those of a source. */

const MAX_REPOSITORY_NAME = 100;
const MAX_USER_ID = 200;

/** Returns a name for a git repository; neither all digits, which would be an id, nor with `.git` at the end. */
export function toRepositoryName(name: string): string {
  const allowed = name
    .replace(/[^A-Za-z0-9_.-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_REPOSITORY_NAME)
    .replace(/(\.git)+$/, '');
  if (allowed === '') return 'repo';
  return /^\d+$/.test(allowed) ? `repo-${allowed}`.slice(0, MAX_REPOSITORY_NAME) : allowed;
}

/**
 * Returns the names for the git repositories of a project, by their ids: those that the service accepts as they are, and for the others free
 * ones, which do not depend on the order of the repositories.
 */
export function repositoryNames(repositories: readonly { id: number; name: string }[]): Map<number, string> {
  const names = new Map<number, string>();
  const taken = new Set<string>();
  const isRenamed = ({ name }: { name: string }): number => Number(toRepositoryName(name) !== name);
  const ordered = repositories.toSorted(
    (one, other) => isRenamed(one) - isRenamed(other) || one.id - other.id,
  );
  for (const { id, name } of ordered) {
    if (names.has(id)) continue;
    const free = freeName(toRepositoryName(name), taken);
    names.set(id, free);
    taken.add(free);
  }
  return names;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) {
    const end = `-${number}`;
    free = name.slice(0, MAX_REPOSITORY_NAME - end.length) + end;
  }
  return free;
}

/** Returns a name to sign in by: `build[bot]` is `build-bot`. @param id names a user of whose name nothing is left */
export function toUserId(login: string, id: number): string {
  const allowed = login
    .slice(0, MAX_USER_ID)
    .replace(/[^A-Za-z0-9_.@+-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/-+$/, '');
  return allowed === '' ? `user-${id}` : allowed;
}
