import { Injectable } from '@nestjs/common';
import { NOBODY } from '../git/git-pools';
import { GitProgram } from '../git/git-program';
import { GitStore } from '../git/git-store';
import { PushesService } from '../git-repositories/pushes/pushes.service';
import { BRANCHES, NO_HASH } from '../git-repositories/refs/ref-names';

/** The users who write and push the commits. */
export interface DemoAuthors {
  adminId: number;
  developerId: number;
}

/** A commit of the demo repository. */
interface DemoCommit {
  author: { name: string; email: string };
  /** In a format that git accepts. */
  date: string;
  message: string;
  files: Readonly<Record<string, string>>;
  parent?: string;
}

const ADMIN = { name: 'Administrator', email: 'admin@example.com' };
const DEVELOPER = { name: 'Dana Developer', email: 'dana@example.com' };
const README = '# Demo project\n\nClone this repository, and push to it.\n';

/** Fills the repository of the demo project; its commits have the same hashes in every space. */
@Injectable()
export class DemoRepositoryService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly pushes: PushesService,
  ) {}

  /** Pushes `main`, and `hello` for the pull request; existing refs stay. Does nothing without git. */
  async fill(repositoryId: number, { adminId, developerId }: DemoAuthors): Promise<void> {
    if (!(await this.git.isAvailable())) return;
    const main = await this.commit(repositoryId, {
      author: ADMIN,
      date: '2026-01-30T09:00:00Z',
      message: 'Begin with a description\n',
      files: { 'README.md': README },
    });
    await this.push(repositoryId, adminId, 'main', main);
    const hello = await this.commit(repositoryId, {
      author: DEVELOPER,
      date: '2026-01-31T09:30:00Z',
      message: 'Say hello\n',
      files: { 'README.md': README, 'hello.txt': 'Hello!\n' },
      parent: main,
    });
    await this.push(repositoryId, developerId, 'hello', hello);
  }

  private async push(repositoryId: number, userId: number, branch: string, newHash: string): Promise<void> {
    await this.pushes.updateRef(
      repositoryId,
      { id: userId },
      { ref: BRANCHES + branch, oldHash: NO_HASH, newHash },
    );
  }

  private async commit(
    repositoryId: number,
    { author, date, message, files, parent }: DemoCommit,
  ): Promise<string> {
    const options = { repository: await this.store.open(repositoryId), userId: NOBODY };
    let entries = '';
    for (const [name, content] of Object.entries(files)) {
      const blob = await this.git.text(['hash-object', '-w', '--stdin'], { ...options, input: content });
      entries += `100644 blob ${blob}\t${name}\0`;
    }
    const tree = await this.git.text(['mktree', '-z'], { ...options, input: entries });
    const parents = parent === undefined ? [] : ['-p', parent];
    return this.git.text(['commit-tree', tree, ...parents, '-F', '-'], {
      ...options,
      input: message,
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
        GIT_COMMITTER_DATE: date,
      },
    });
  }
}
