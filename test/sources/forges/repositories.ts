import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { entriesOf } from '../../support/archives';
import { GitFolder } from '../../support/git';

/** The commits of the repository of a fake forge. */
export interface FakeCommits {
  main: string;
  /** The head of a request to merge, whose branch is gone. */
  request: string;
}

/** Makes bare repositories that a fake forge serves as files. */
export class FakeRepositories {
  private constructor(private readonly work: GitFolder) {}

  static async make(): Promise<FakeRepositories> {
    return new FakeRepositories(await GitFolder.make());
  }

  /** The folder that has them by the paths of their addresses. */
  get folder(): string {
    return this.work.in('served').path;
  }

  /** @param head the ref of the head of a request to merge, such as `refs/pull/20/head` */
  async code(path: string, head: string): Promise<FakeCommits> {
    const clone = await this.clone('code');
    const main = await commit(clone, { README: 'Read me' }, 'First');
    const request = await commit(clone, { 'feature.txt': 'Feature' }, 'Feature');
    await clone.git('update-ref', head, request);
    // A merge that a forge tries; nothing needs it.
    await clone.git('update-ref', head.replace('head', 'merge'), request);
    await clone.git('reset', '--quiet', '--hard', main);
    await this.serve(clone, path);
    return { main, request };
  }

  /** @param commits the files that each writes, by their names; null removes one */
  async wiki(path: string, commits: readonly Record<string, string | null>[]): Promise<void> {
    const clone = await this.clone('wiki');
    for (const [number, files] of commits.entries()) await commit(clone, files, `Commit ${number}`, number);
    await this.serve(clone, path);
  }

  /** Returns the refs of the only git repository of an archive, with their commits. */
  async refsIn(archive: string): Promise<string[]> {
    const entries = await entriesOf(archive);
    const bundle = [...entries].find(([name]) => name.endsWith('.bundle'))?.[1] ?? '';
    writeFileSync(`${this.work.path}/found.bundle`, bundle);
    const heads = await this.work.git('bundle', 'list-heads', 'found.bundle');
    return heads.split('\n').filter((line) => !line.endsWith(' HEAD'));
  }

  remove(): Promise<void> {
    return this.work.remove();
  }

  private async clone(name: string): Promise<GitFolder> {
    await this.work.git('init', '--quiet', '--initial-branch=main', name);
    return this.work.in(name);
  }

  private async serve(clone: GitFolder, path: string): Promise<void> {
    const target = `${this.folder}${path}`;
    mkdirSync(dirname(target), { recursive: true });
    await this.work.git('clone', '--quiet', '--mirror', clone.path, target);
    await this.work.git('--git-dir', target, 'update-server-info');
  }
}

/** Returns the name of the file of a wiki page. */
export const fileOf = (page: string): string => `${page}.md`;

/** The time of the first commit, in seconds; each is an hour after the last one. */
export const FIRST_COMMIT = 1_700_000_000;

async function commit(
  clone: GitFolder,
  files: Record<string, string | null>,
  message: string,
  number = 0,
): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    if (content === null) await clone.git('rm', '--quiet', name);
    else {
      mkdirSync(dirname(`${clone.path}/${name}`), { recursive: true });
      writeFileSync(`${clone.path}/${name}`, content);
    }
  }
  await clone.git('add', '.');
  const date = `@${FIRST_COMMIT + number * 3600} +0000`;
  // The second author is an account of the forge, by the address that it gives its users.
  const author =
    number % 2 === 0 ? 'Wiki Writer <writer@example.com>' : 'Bob <12+bob@users.noreply.github.com>';
  return clone.commit('-m', message, `--date=${date}`, `--author=${author}`);
}
