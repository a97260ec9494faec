import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NOBODY } from '../../git/git-pools';
import { type GitProgram } from '../../git/git-program';
import { syncIfPresent, syncRefs } from '../../git/sync-folders';
import { BRANCHES, isRefName, PULLS, TAGS } from './ref-names';
import { findObjectTypes, PACKED_REFS, readRefs } from './ref-states';

const ALL = [BRANCHES, TAGS, PULLS];

/** Damage to the refs of a repository, and what can be done about it. */
export interface RefDamage {
  /** The full name of a damaged ref, or `packed-refs` for the file that contains many. */
  name: string;
  /** The last recorded hash, if git has that object; always undefined for `packed-refs`, whose refs are all written again. */
  hash: string | undefined;
  /** Why it cannot be repaired; undefined if it can. */
  obstacle?: string;
}

/** Git holds the lock of a ref, or a killed process has left it. */
export class RefLockedError extends Error {
  constructor(name: string) {
    super(`${name} is locked.`);
  }
}

/** What `findRefDamage` and `repairRef` examine. */
export interface RecordedRepository {
  /** The folder of the repository. */
  repository: string;
  /** The last recorded hashes by the names of refs: see `findRecordedHashes` and `findRecordedHeads`. */
  recorded: ReadonlyMap<string, string>;
}

/**
 * Finds the damaged refs of a repository. Changes nothing.
 * @throws GitUnavailableError without git, GitError when git fails for another reason
 */
export async function findRefDamage(
  git: GitProgram,
  { repository, recorded }: RecordedRepository,
): Promise<RefDamage[]> {
  const states = await readRefs(git, repository, { prefixes: ALL, userId: NOBODY });
  if (states.isPackedFileDamaged) return [{ name: PACKED_REFS, hash: undefined }];
  const hashes = states.damaged.flatMap((name) => recorded.get(name) ?? []);
  const types = await findObjectTypes(git, repository, { userId: NOBODY }, [...new Set(hashes)]);
  return states.damaged.map((name): RefDamage => {
    const hash = recorded.get(name);
    if (hash === undefined) return { name, hash, obstacle: 'nothing is recorded for it' };
    const type = types.get(hash);
    if (type === undefined)
      return { name, hash: undefined, obstacle: `the recorded object ${hash} is missing` };
    // Git takes a branch that points to anything else for damaged.
    if (!name.startsWith(TAGS) && type !== 'commit')
      return { name, hash: undefined, obstacle: `the recorded object ${hash} is no commit` };
    return { name, hash };
  });
}

/**
 * Repairs a damaged ref: points it at the last recorded hash. Holds git's own lock, so that it is safe beside pushes, and replaces the file
 * in one step, so that the ref never seems to be deleted. Can be repeated after a kill.
 * @param name a name that `findRefDamage` has returned
 * @returns the damage that was repaired; one with an obstacle when it was left; undefined when there was none any more
 * @throws RefLockedError
 */
export async function repairRef(
  git: GitProgram,
  recordedRepository: RecordedRepository,
  name: string,
): Promise<RefDamage | undefined> {
  const { repository, recorded } = recordedRepository;
  const isRef = isRefName(name) && ALL.some((prefix) => name.startsWith(prefix));
  if (!isRef && name !== PACKED_REFS) return undefined;
  const findDamage = async (): Promise<RefDamage | undefined> =>
    (await findRefDamage(git, recordedRepository)).find((one) => one.name === name);
  const path = join(repository, name);
  if (!(await makeFolder(dirname(path)))) {
    const damage = await findDamage();
    return (
      damage && { name, hash: undefined, obstacle: `a file has the name of its folder, ${dirname(name)}` }
    );
  }
  const lock = `${path}.lock`;
  const file = await openLock(lock, name);
  let isPlaced = false;
  try {
    const damage = await findDamage();
    if (!damage || damage.obstacle !== undefined) return damage;
    const text = name === PACKED_REFS ? packedRefs(recorded) : `${damage.hash as string}\n`;
    await file.writeFile(text);
    await file.sync();
    if (name === PACKED_REFS) await copyDamagedFile(path);
    await rename(lock, path);
    isPlaced = true;
    await syncRefs(repository, [name]);
    return damage;
  } finally {
    await file.close();
    if (!isPlaced) await rm(lock, { force: true });
  }
}

/** @returns whether the folder exists now; false when a file has its name */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** @throws RefLockedError */
async function openLock(lock: string, name: string): Promise<FileHandle> {
  try {
    return await open(lock, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new RefLockedError(name);
    throw error;
  }
}

/**
 * Returns the content of `packed-refs` with all recorded refs. Files of refs take precedence over it. A ref whose object is missing is damaged
 * from then on: left out, it would count as deleted.
 */
function packedRefs(recorded: ReadonlyMap<string, string>): string {
  const lines = [...recorded]
    .filter(([name]) => isRefName(name))
    .map(([name, hash]) => ({ bytes: Buffer.from(name), line: `${hash} ${name}\n` }))
    // Git looks names up by their bytes.
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ line }) => line);
  return `# pack-refs with: sorted \n${lines.join('')}`;
}

/** Keeps a copy of a damaged file. */
async function copyDamagedFile(path: string): Promise<void> {
  const copy = await open(`${path}.damaged-${randomUUID().slice(0, 8)}`, 'wx', 0o600);
  try {
    await copy.writeFile(await readFile(path));
    await copy.sync();
  } finally {
    await copy.close();
  }
  await syncIfPresent(dirname(path));
}
