import { open } from 'node:fs/promises';
import { GitError, toGitError } from './git-errors';
import { NOBODY } from './git-pools';
import { type GitProgram } from './git-program';

/** Timeout of git, which is long because a bundle is as large as its repository. */
const TIMEOUT_MS = 24 * 3_600_000;
const ATTEMPTS = 3;
/** Bytes buffered for one part. */
const PART_BYTES = 4 * 1024 * 1024;

/** The first bytes of every bundle. */
const SIGNATURE = Buffer.from('# v2 git bundle\n');

/** A part of a bundle. Number 1 starts over: parts received before it must be discarded. */
export interface BundlePart {
  number: number;
  bytes: Buffer;
}

/** The state of a repository that its bundle does not contain. */
export interface BundledRepository {
  /** The target of `HEAD`, such as `refs/heads/main`. */
  head: string;
  /** Whether the repository has no refs, and therefore no bundle. */
  isEmpty: boolean;
}

/**
 * Yields a git bundle of all refs of a repository and all objects reachable from them: a consistent state, even during concurrent pushes
 * and packing. Yields no parts when the repository has no refs.
 * @param attempts how often to start before an error of git is rethrown
 * @throws GitError
 */
export async function* bundleParts(
  git: GitProgram,
  repository: string,
  attempts = ATTEMPTS,
): AsyncGenerator<BundlePart, BundledRepository> {
  const options = { repository, userId: NOBODY };
  const head = await git.text(['symbolic-ref', 'HEAD'], options);
  for (let attempt = 1; ; attempt++) {
    if ((await git.text(['for-each-ref', '--count=1'], options)) === '') return { head, isEmpty: true };
    try {
      yield* wholeBundle(git, repository);
      return { head, isEmpty: false };
    } catch (error) {
      // Packs may be replaced while git reads them, and the last ref may just have been deleted.
      if (attempt >= attempts) throw error;
    }
  }
}

async function* wholeBundle(git: GitProgram, repository: string): AsyncGenerator<BundlePart> {
  const args = ['bundle', 'create', '--quiet', '--version=2', '-', '--all'];
  const config = { 'pack.threads': '1', 'pack.windowMemory': '64m' };
  const child = await git.start(args, { repository, userId: NOBODY, config, timeoutMs: TIMEOUT_MS });
  child.stdin.end();
  let number = 0;
  let chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of child.stdout) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes < PART_BYTES) continue;
      yield { number: ++number, bytes: Buffer.concat(chunks) };
      chunks = [];
      bytes = 0;
    }
    const exit = await child.exited;
    if (exit.code !== 0) throw toGitError(args, exit);
    if (bytes > 0) yield { number: ++number, bytes: Buffer.concat(chunks) };
  } finally {
    child.kill();
  }
}

/**
 * Fills a new, empty repository with the contents of a bundle.
 * @throws GitError when the file is not a bundle, or is incomplete
 */
export async function readBundle(git: GitProgram, repository: string, bundle: string): Promise<void> {
  const config = { 'protocol.file.allow': 'always', 'pack.threads': '1' };
  const args = ['fetch', '--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head'];
  // Git could interpret any other file as a link to a repository, and read from there, wherever it is.
  if (!(await isBundle(bundle))) throw new GitError(args, 128, 'not a bundle');
  const options = { repository, userId: NOBODY, config, timeoutMs: TIMEOUT_MS };
  await git.run([...args, '--update-head-ok', '--', bundle, '+refs/*:refs/*'], options);
}

async function isBundle(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SIGNATURE.length), 0, SIGNATURE.length, 0);
    return SIGNATURE.equals(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
