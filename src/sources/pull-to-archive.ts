import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ArchiveContents } from '../archives/archive-format';
import { recordKinds } from '../archives/record-kinds';
import { ArchiveBuilder } from './archive-builder';
import { backlogKind } from './backlog/backlog-source';
import { csvKind, jiraKind } from './csv/csv-source';
import { RecordSpool } from '../archives/data/record-spool';
import { githubKind } from './github/github-source';
import { gitlabKind } from './gitlab/gitlab-source';
import { type Loss, Losses } from './losses';
import { redmineKind } from './redmine/redmine-source';
import {
  type Source,
  type SourceKind,
  type SourceOptions,
  type SourcePlan,
  type SourceProgress,
} from './source';
import { SourceError } from './source.error';
import { Spool } from './spool/spool';
import { type ReadState } from './read-state';
import { BuiltArchive } from './write-archive';

/** What `pms import` reads besides archives. */
export const SOURCE_KINDS: readonly SourceKind[] = [
  backlogKind,
  redmineKind,
  githubKind,
  gitlabKind,
  csvKind,
  jiraKind,
];

/** The addresses of all kinds of sources. */
export const SOURCE_FORMS = SOURCE_KINDS.map(({ form }) => form).join(', ');

const BUILD = 'build.db';
/** Names the refs of git repositories among the kinds that differ. */
export const GIT_REFS = 'refs of git repositories';

/** How a source is read. */
export interface PullOptions extends SourceOptions {
  /** Begins a new reading, which asks again for what may have changed since the last one (`docs/decisions/0072-follow.md`). */
  isRenewed?: boolean;
  onProgress?: (progress: SourceProgress) => void;
}

/** What a source has given. */
export interface Pulled extends ArchiveContents {
  bytes: number;
  /** What the source has and the archive has not, in words for the operator. */
  losses: readonly Loss[];
  /** For `compareSource`. */
  state: ReadState;
}

/** A kind of records of which a source has others than it had, in number or content. */
export interface SourceDifference {
  kind: string;
  expected: number;
  found: number;
}

const kindOf = (from: string): SourceKind | undefined => SOURCE_KINDS.find((kind) => kind.accepts(from));

/** Whether `pms import` reads this from a source, and not from a file. */
export const isSource = (from: string): boolean => kindOf(from) !== undefined;

/** Whether the projects of a source get their keys from it (`SourceKind`). */
export const givesKeys = (from: string): boolean => kindOf(from)?.givesKeys ?? false;

/**
 * Reads a source into an archive that `pms import` imports (`docs/format.md`). Nothing but the spool and the archive is written; after a
 * failure or a kill, the same call goes on with what the spool has.
 * @param from such as `backlog://example.backlog.com`
 * @throws SourceError in one sentence, if the source cannot be read
 */
export async function pullToArchive(from: string, path: string, options: PullOptions): Promise<Pulled> {
  if (options.isRenewed) await Spool.renew(options.spool, Date.now());
  return withBuilt(from, options, async (archive, losses) => {
    await mkdir(dirname(path), { recursive: true });
    const bytes = await archive.write(path);
    return { ...archive.contents, bytes, losses: losses.list(), state: await archive.state() };
  });
}

/**
 * Reads a source again, and compares what it has with what an archive got from it. What belongs to an object that a list still shows as it was
 * is not asked for again.
 * @param state of the archive
 * @returns the kinds that differ; nothing if the source is still the same
 * @throws SourceError if the source cannot be read
 */
export async function compareSource(
  from: string,
  options: PullOptions,
  state: ReadState,
): Promise<SourceDifference[]> {
  await Spool.renew(options.spool);
  return withBuilt(from, options, async (archive) => differencesOf(state, await archive.state()));
}

function differencesOf(before: ReadState, now: ReadState): SourceDifference[] {
  const differences = Object.entries(now.records).flatMap(([kind, { count: found, sha256 }]) => {
    const { count: expected, sha256: digest } = before.records[kind] as ReadState['records'][string];
    return sha256 === digest ? [] : [{ kind, expected, found }];
  });
  if (before.refs !== now.refs) differences.push({ kind: GIT_REFS, expected: 0, found: 0 });
  return differences;
}

/** Reads a source to its end, and does something with what it has. */
async function withBuilt<T>(
  from: string,
  options: PullOptions,
  use: (archive: BuiltArchive, losses: Losses) => Promise<T>,
): Promise<T> {
  return withSource(from, options, async (source, losses) => {
    const records = new RecordSpool(join(options.spool, BUILD));
    try {
      const builder = new ArchiveBuilder(await recordKinds(), records, losses, source.time);
      await source.read(builder);
      builder.end();
      const result = await use(new BuiltArchive(await recordKinds(), records, options, losses), losses);
      await Spool.markRead(options.spool);
      return result;
    } finally {
      records.close();
    }
  });
}

/** Returns what a source would give, for `--dry-run`, and what would be lost, as far as it can be known before the reading. */
export async function planSource(
  from: string,
  options: PullOptions,
): Promise<SourcePlan & { losses: readonly Loss[] }> {
  // A reading that begins later must not get these answers.
  const spool = `${options.spool}.plan`;
  await rm(spool, { recursive: true, force: true });
  try {
    return await withSource(from, { ...options, spool }, async (source, losses) => ({
      ...(await source.plan()),
      losses: losses.list(),
    }));
  } finally {
    await rm(spool, { recursive: true, force: true });
  }
}

async function withSource<T>(
  from: string,
  options: PullOptions,
  work: (source: Source, losses: Losses) => Promise<T>,
): Promise<T> {
  const kind = kindOf(from);
  if (!kind) throw new SourceError(`${from} is not the address of a source: ${SOURCE_FORMS}.`);
  if (kind.needsKey && options.keys.length === 0) {
    throw new SourceError('A key of the source is needed: use --key or PMS_SOURCE_KEY.');
  }
  const losses = new Losses();
  const source = await kind.open(from, options, { losses, onProgress: options.onProgress });
  try {
    return await work(source, losses);
  } finally {
    await source.close();
  }
}
