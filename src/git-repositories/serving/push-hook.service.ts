import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { GitUnavailableError } from '../../git/git-errors';

const NAME = 'update';
/** The environment variable with the ref that the hook protects. */
export const PROTECTED_REF = 'PROTECTED_REF';

/** The hook, which git calls for each ref that a push changes, with its name and both hashes. */
const SCRIPT = `#!/bin/sh
# Written by the service, which replaces it when it has been changed.
[ "$1" = "$${PROTECTED_REF}" ] || exit 0
case $3 in
  *[!0]*) ;;
  *)
    echo "\${1#refs/heads/} is the default branch, which is protected: it cannot be deleted." >&2
    exit 1
    ;;
esac
case $2 in
  *[!0]*) ;;
  *) exit 0 ;;
esac
git merge-base --is-ancestor "$2" "$3" && exit 0
echo "\${1#refs/heads/} is the default branch, which is protected: a push has to continue it." >&2
exit 1
`;

/** Installs the only git hook that ever runs, in a separate folder named after the digest of its content. */
@Injectable()
export class PushHookService {
  private readonly folder: string;

  constructor(environment: Environment) {
    const digest = createHash('sha256').update(SCRIPT).digest('hex').slice(0, 16);
    this.folder = join(resolve(environment.GIT_ROOT), 'hooks', digest);
  }

  /**
   * Returns the folder that contains only the hook, verified on each call and repaired if necessary.
   * @throws GitUnavailableError when programs in the folder cannot be run, and git would skip the hook
   */
  async requireFolder(): Promise<string> {
    const path = join(this.folder, NAME);
    if ((await contentOf(path)) !== SCRIPT || (await modeOf(path)) !== MODE) await this.write(path);
    for (const name of await readdir(this.folder)) {
      if (name !== NAME && !name.startsWith(`${NAME}.`))
        await rm(join(this.folder, name), { recursive: true, force: true });
    }
    try {
      await access(path, constants.X_OK);
    } catch {
      throw new GitUnavailableError('programs in GIT_ROOT cannot be run, so branches cannot be protected');
    }
    return this.folder;
  }

  private async write(path: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const written = `${path}.${randomUUID()}`;
    await writeFile(written, SCRIPT, { mode: MODE, flush: true });
    await rename(written, path);
  }
}

const MODE = 0o700;

/** Returns the content of a file; undefined when it is not a regular file. */
async function contentOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return (await file.stat()).isFile() ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;
