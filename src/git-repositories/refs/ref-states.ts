import { lstat, opendir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../errors/missing-file';
import { FATAL, GitError, GitRefsDamagedError } from '../../git/git-errors';
import { type GitPool } from '../../git/git-pools';
import { type GitProgram, type GitResult } from '../../git/git-program';
import { BRANCHES, isRefName, NO_HASH, PULLS, TAGS } from './ref-names';

/** A branch or a tag. */
export interface GitRefState {
  /** The full name, such as `refs/heads/main`. */
  name: string;
  /** The hash that it points to. */
  hash: string;
  /** The commit that it resolves to; null when it resolves to another object. */
  commit: string | null;
}

/** The refs of a repository. */
export interface RefStates {
  /** The usable refs, in the order of their names. */
  refs: GitRefState[];
  /** The names of refs that exist and cannot be used: their file is truncated, or the object that they name is missing. */
  damaged: string[];
  /** Whether `packed-refs` is damaged, so that any number of refs is unknown; the lists are empty then. */
  isPackedFileDamaged: boolean;
}

/** For whom refs are read. */
export interface RefReader {
  userId: number;
  /** `transfers` for a fetch or a push, which waits for its turn as long as it takes; must not be called while it has one. */
  pool?: GitPool;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
}

/** Which refs are read, and for whom. */
export interface RefReading extends RefReader {
  /** Full names, or beginnings of names that end with a slash. */
  prefixes: readonly string[];
}

/** The file with the refs that have no file of their own. */
export const PACKED_REFS = 'packed-refs';
const FORMAT = '--format=%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)';
const ALL = [BRANCHES, TAGS, PULLS] as const;
const HASH = /^[0-9a-f]{40}(\s|$)/;

/**
 * Reads refs. A power failure can truncate the file of a ref, or lose the object that it names, on a disk that was not synced: git then
 * warns, or fails for all refs. Such refs are listed apart.
 * @throws GitUnavailableError without git, GitError when git fails for another reason
 */
export async function readRefs(
  git: GitProgram,
  repository: string,
  { prefixes, ...reader }: RefReading,
): Promise<RefStates> {
  if (await isEmptyPackedFile(repository)) return { refs: [], damaged: [], isPackedFileDamaged: true };
  const args = ['for-each-ref', FORMAT, ...prefixes];
  const result = await git.run(args, { ...reader, repository, okCodes: [FATAL] });
  if (isClean(result)) return { refs: linesOf(result).map(toRef), damaged: [], isPackedFileDamaged: false };
  return readOneByOne(git, repository, { prefixes, ...reader }, args);
}

/**
 * Returns the names of damaged branches, tags and heads of pull requests.
 * @throws GitRefsDamagedError when `packed-refs` is damaged, and the errors of `readRefs`
 */
export async function findDamagedRefs(
  git: GitProgram,
  repository: string,
  reader: RefReader,
): Promise<readonly string[]> {
  const args = ['for-each-ref', '--format=%(objecttype)%(*objecttype)', ...ALL];
  if (await isEmptyPackedFile(repository)) throw new GitRefsDamagedError(PACKED_REFS);
  if (isClean(await git.run(args, { ...reader, repository, okCodes: [FATAL] }))) return [];
  const states = await readOneByOne(git, repository, { ...reader, prefixes: ALL }, args);
  return requireReadable(states).damaged;
}

/** @throws GitRefsDamagedError when `packed-refs` is damaged */
export function requireReadable(states: RefStates): RefStates {
  if (states.isPackedFileDamaged) throw new GitRefsDamagedError(PACKED_REFS);
  return states;
}

/** Returns the types of those objects that a repository has, by their hashes. */
export async function findObjectTypes(
  git: GitProgram,
  repository: string,
  reader: RefReader,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map();
  const input = hashes.map((hash) => `${hash}\n`).join('');
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const result = await git.run(args, { ...reader, repository, input, okCodes: [FATAL] });
  return new Map(
    linesOf(result).flatMap((line): [string, string][] => {
      const [hash = '', type = ''] = line.split(' ');
      return type === 'missing' ? [] : [[hash, type]];
    }),
  );
}

/** Reads the hashes of refs without the objects, and looks up these separately. */
async function readOneByOne(
  git: GitProgram,
  repository: string,
  { prefixes, ...reader }: RefReading,
  failed: readonly string[],
): Promise<RefStates> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes];
  const result = await git.run(args, { ...reader, repository, okCodes: [FATAL] });
  if (result.code === FATAL) {
    if (!result.stderr.includes(PACKED_REFS)) throw new GitError(failed, result.code, result.stderr);
    return { refs: [], damaged: [], isPackedFileDamaged: true };
  }
  const named = linesOf(result).map((line) => ({ hash: line.slice(0, 40), name: line.slice(41) }));
  const types = await findObjectTypes(git, repository, reader, [...new Set(named.map(({ hash }) => hash))]);
  const tags = [...types].flatMap(([hash, type]) => (type === 'tag' ? [hash] : []));
  const tagged = await findTagged(git, repository, reader, tags);
  const refs: GitRefState[] = [];
  const damaged: string[] = [];
  for (const { name, hash } of named) {
    const type = types.get(hash);
    const target = type === 'tag' ? tagged.get(hash) : { hash, type };
    if (target?.type === undefined) damaged.push(name);
    else refs.push({ name, hash, commit: target.type === 'commit' ? target.hash : null });
  }
  const known = new Set(named.map(({ name }) => name));
  for await (const name of brokenFiles(repository)) {
    if (!known.has(name) && prefixes.some((prefix) => isBelow(name, prefix))) damaged.push(name);
  }
  return { refs, damaged: damaged.sort(), isPackedFileDamaged: false };
}

/** Returns what annotated tags point to, by the hashes of the tags; without tags whose target is missing. */
async function findTagged(
  git: GitProgram,
  repository: string,
  reader: RefReader,
  tags: readonly string[],
): Promise<Map<string, { hash: string; type: string }>> {
  const found = new Map<string, { hash: string; type: string }>();
  if (tags.length === 0) return found;
  const input = tags.map((hash) => `${hash}^{}\n`).join('');
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const lines = linesOf(await git.run(args, { ...reader, repository, input, okCodes: [FATAL] }));
  tags.forEach((tag, index) => {
    const [hash = '', type = ''] = lines[index]?.split(' ') ?? [];
    if (HASH.test(hash) && type !== 'missing') found.set(tag, { hash, type });
  });
  return found;
}

/** Yields the names of refs whose files contain no hash. */
async function* brokenFiles(repository: string): AsyncGenerator<string> {
  const folders = ALL.map((prefix) => prefix.slice(0, -1));
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for await (const entry of await opendir(join(repository, folder))) {
        const name = `${folder}/${entry.name}`;
        if (entry.isDirectory()) folders.push(name);
        else if (entry.isFile() && isRefName(name) && (await isBrokenFile(join(repository, name))))
          yield name;
      }
    } catch (error) {
      // Git removes empty folders at any time.
      if (!isMissing(error)) throw error;
    }
  }
}

async function isBrokenFile(path: string): Promise<boolean> {
  try {
    const text = await readFile(path, 'latin1');
    return !text.startsWith('ref: ') && (!HASH.test(text) || text.startsWith(NO_HASH));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Git never writes an empty file. It would read one as a repository without these refs. */
async function isEmptyPackedFile(repository: string): Promise<boolean> {
  try {
    return (await lstat(join(repository, PACKED_REFS))).size === 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isClean = ({ code, stderr }: GitResult): boolean => code === 0 && stderr === '';

const linesOf = ({ stdout }: GitResult): string[] => {
  const text = stdout.toString('utf8').replace(/\n$/, '');
  return text === '' ? [] : text.split('\n');
};

const isBelow = (name: string, prefix: string): boolean =>
  name === prefix || name.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);

function toRef(line: string): GitRefState {
  const [name = '', hash = '', type, peeled = '', peeledType] = line.split('\0');
  const commit = type === 'commit' ? hash : peeledType === 'commit' ? peeled : null;
  return { name, hash, commit };
}
