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

/** Returns a name to sign in by: `build[bot]` is `build-bot`. @param id names a user of whose name nothing is left */
export function toUserId(login: string, id: number): string {
  const allowed = login
    .slice(0, MAX_USER_ID)
    .replace(/[^A-Za-z0-9_.@+-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/-+$/, '');
  return allowed === '' ? `user-${id}` : allowed;
}
