import { mkdir } from 'node:fs/promises';
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

/** How a source is read. */
export interface PullOptions extends SourceOptions {
  onProgress?: (progress: SourceProgress) => void;
}

/** What a source has given. */
export interface Pulled extends ArchiveContents {
  bytes: number;
  /** What the source has and the archive has not, in words for the operator. */
  losses: readonly Loss[];
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
  return withSource(from, options, async (source, losses) => {
    const records = new RecordSpool(join(options.spool, BUILD));
    try {
      const builder = new ArchiveBuilder(await recordKinds(), records, losses, source.time);
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

/** Returns what a source would give, for `--dry-run`, and what would be lost, as far as it can be known before the reading. */
export const planSource = (
  from: string,
  options: PullOptions,
): Promise<SourcePlan & { losses: readonly Loss[] }> =>
  withSource(from, options, async (source, losses) => ({ ...(await source.plan()), losses: losses.list() }));

async function withSource<T>(
  from: string,
  options: PullOptions,
  work: (source: Source, losses: Losses) => Promise<T>,
): Promise<T> {
  const kind = kindOf(from);
  if (!kind) throw new SourceError(`${from} is not the address of a source: ${SOURCE_FORMS}.`);
  const losses = new Losses();
  const source = await kind.open(from, options, { losses, onProgress: options.onProgress });
  try {
    return await work(source, losses);
  } finally {
    await source.close();
  }
}
