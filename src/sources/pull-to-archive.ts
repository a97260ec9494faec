import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { recordKinds } from '../archives/record-kinds';
import { type Environment } from '../config/environment';
import { ArchiveBuilder } from './archive-builder';
import { BacklogSource, type BacklogOptions } from './backlog/backlog-source';
import { isBacklogAddress, toApiBase } from './backlog/address';
import { RecordSpool } from './data/record-spool';
import { type Loss, Losses } from './losses';
import { type SourcePlan, type SourceProgress } from './source';
import { SourceError } from './source.error';
import { Spool } from './spool/spool';
import { BuiltArchive } from './write-archive';
import { type ArchiveContents } from '../archives/archive-format';

/** The largest answer that a spool returns, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const BUILD = 'build.db';

/** How a source is read. */
export interface PullOptions extends Omit<BacklogOptions, 'base'> {
  environment: Environment;
  /** The folder with the answers; a repeated run goes on from there. */
  spool: string;
  onProgress?: (progress: SourceProgress) => void;
}

/** What a source has given. */
export interface Pulled extends ArchiveContents {
  bytes: number;
  /** What the source has and the archive has not, in words for the operator. */
  losses: readonly Loss[];
}

/** Whether `pms import` reads this from a source, and not from a file. */
export const isSource = (text: string): boolean => isBacklogAddress(text);

/**
 * Reads a source into an archive that `pms import` imports (`docs/format.md`). Nothing but the spool and the archive is written; after a
 * failure or a kill, the same call goes on with what the spool has.
 * @param from such as `backlog://example.backlog.com`
 * @throws SourceError in one sentence, if the source cannot be read
 */
export async function pullToArchive(from: string, path: string, options: PullOptions): Promise<Pulled> {
  return withSource(from, options, async (source, spool, losses) => {
    const records = new RecordSpool(spool.path(BUILD));
    try {
      const builder = new ArchiveBuilder(await recordKinds(), records, losses, spool.begun);
      await source.read(builder);
      builder.end();
      await mkdir(dirname(path), { recursive: true });
      const archive = new BuiltArchive(await recordKinds(), records, options, losses);
      const bytes = await archive.write(path);
      return { ...archive.contents, bytes, losses: losses.list() };
    } finally {
      records.close();
    }
  });
}

/** Returns what a source would give, for `--dry-run`. */
export const planSource = (from: string, options: PullOptions): Promise<SourcePlan> =>
  withSource(from, options, (source) => source.plan());

async function withSource<T>(
  from: string,
  options: PullOptions,
  work: (source: BacklogSource, spool: Spool, losses: Losses) => Promise<T>,
): Promise<T> {
  if (options.keys.length === 0) throw new SourceError('A key is needed: use --key or PMS_SOURCE_KEY.');
  const base = toApiBase(from);
  const { environment, projects, onProgress } = options;
  const limit = options.limits?.maxAnswerBytes ?? MAX_ANSWER_BYTES;
  const spool = await Spool.open(options.spool, BacklogSource.identityOf({ base, projects }), limit);
  const losses = new Losses();
  const source = new BacklogSource(environment, spool, { ...options, base }, { losses, onProgress });
  try {
    return await work(source, spool, losses);
  } finally {
    await source.close();
  }
}
