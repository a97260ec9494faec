import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGit } from './git-runner';

/** Settings of a world with real repositories. */
export const WITH_GIT = { GIT_PATH: 'git' } as const;

const hasGit = spawnSync('git', ['--version']).status === 0;

/** A block of tests that is skipped on a machine without git, except in CI, where it fails. */
export const describeWithGit = describe.runIf(hasGit || process.env.CI);

/** The outcome of a git command. */
export interface GitOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** A user's folder for git, without this machine's configuration. */
export class GitFolder {
  private constructor(readonly path: string) {}

  /** Creates a folder, which `remove` deletes. */
  static async make(): Promise<GitFolder> {
    return new GitFolder(await mkdtemp(join(tmpdir(), 'project-management-git-')));
  }

  /** Returns a folder inside this one, such as a clone. */
  in(name: string): GitFolder {
    return new GitFolder(join(this.path, name));
  }

  /** Runs git, and returns its outcome even when it fails. */
  try(...args: string[]): Promise<GitOutcome> {
    return runGit({ args, cwd: this.path, env: PERSON });
  }

  /** Runs git and returns its output. @throws Error when it fails */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...args);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  /** Commits what is added, and returns the hash, which git prints in the form `[main 0123…] Message`. */
  async commit(...args: string[]): Promise<string> {
    const printed = await this.git('-c', 'core.abbrev=40', 'commit', ...args);
    const [hash] = /[\da-f]{40}(?=\])/.exec(printed) ?? [];
    if (hash === undefined) throw new Error(printed);
    return hash;
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

const PERSON = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};
