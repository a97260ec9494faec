import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git, tryGit } from '../support/git';

/** The repository that receives the pushes, after a run. */
export interface RepositoryRecords {
  /** Hashes by name of branch or tag. */
  refs: Map<string, string>;
  /** Every commit reachable from a branch or a tag. */
  reachable: Set<string>;
  /** Leftover locks of refs. */
  locks: string[];
  /** Output of `git fsck`; empty when the repository is sound. */
  damage: string[];
}

/** Reads a bare repository. */
export async function readRepository(folder: string): Promise<RepositoryRecords> {
  const refs = await readRefs(folder);
  const commits = await git(folder, 'rev-list', '--all');
  const { code, stdout, stderr } = await tryGit(folder, ['fsck', '--full', '--strict', '--no-dangling']);
  const files = await readdir(join(folder, 'refs'), { recursive: true });
  return {
    refs,
    reachable: new Set(linesOf(commits)),
    locks: files.filter((name) => name.endsWith('.lock')),
    damage: code === 0 ? [] : [`repository: ${stdout}${stderr}`],
  };
}

/** Returns the branches and tags of a bare repository. */
export async function readRefs(folder: string): Promise<Map<string, string>> {
  const text = await git(
    folder,
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads',
    'refs/tags',
  );
  return new Map(linesOf(text).map((line) => line.split(' ') as [string, string]));
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
