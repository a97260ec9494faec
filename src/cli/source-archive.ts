import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command } from 'commander';
import { readSettings, readSourceKeys } from '../config/environment';
import { counted } from '../quantities';
import { type Loss, lossLine } from '../sources/losses';
import {
  compareSource,
  givesKeys,
  planSource,
  type PullOptions,
  pullToArchive,
} from '../sources/pull-to-archive';
import { projectChoice } from '../sources/project-choice';
import { TEXT_FORMATS, type TextFormat } from '../sources/text-format';
import { SourceError } from '../sources/source.error';
import { type ReadState } from '../sources/read-state';
import { CommandError, EXIT } from './command';
import { interruption } from './interruption';
import { type Output } from './output';
import { Progress } from './progress';

/** The options of `pms import` that only sources have (`docs/decisions/0070-sources.md`). */
export interface SourceOptions {
  /** `KEY` or `KEY:NEW` */
  project?: string[];
  key?: string[];
  map?: string;
  gitUser?: string;
  gitPassword?: string;
  to?: string;
  textFormat?: TextFormat;
  follow?: true;
}

const KEYS = 'PMS_SOURCE_KEY';

export const addSourceOptions = (command: Command): Command =>
  command
    .option('--key <keys...>', `API keys of a source, by default from ${KEYS}; several share its limits`)
    .option('--map <file>', 'what the columns of a CSV file are')
    .option(
      '--git-user <name>',
      'who clones the git repositories of a source (default: the owner of the key)',
    )
    .option('--git-password <password>', 'the password for that (default: the key)')
    .addOption(
      command
        .createOption('--text-format <format>', 'how a Redmine formats texts (default: textile)')
        .choices(TEXT_FORMATS),
    )
    .option('--to <file>', 'only write what a source has to an archive');

/** An archive of a source, to be imported. */
export interface SourceArchive {
  path: string;
  losses: readonly Loss[];
  /** Removes the archive, and reads the source again. @throws CommandError with its own exit code if the source is not as it was when it was imported */
  verify: () => Promise<void>;
  /** Removes what was kept for a repeated run. */
  remove: () => Promise<void>;
}

/** Reads a source into an archive. A repeated call goes on where the last one stopped. */
export async function readSource(
  from: string,
  options: SourceOptions,
  output: Output,
): Promise<SourceArchive> {
  const { spool, ...pull } = pullOptions(from, options);
  const path = options.to === undefined ? join(spool, 'archive.pms') : resolve(options.to);
  // An archive in the spool is that of a run whose import has failed: it is made again of the answers.
  if (options.to === undefined) await rm(path, { force: true });
  output.note(`Reading ${from}. If this is interrupted, the same command goes on from ${spool}.`);
  let waiting = 0;
  const shown = async <T>(label: string, read: (options: PullOptions) => Promise<T>): Promise<T> => {
    const progress = new Progress(label);
    return read({
      ...pull,
      spool,
      onNote: (text) => output.note(text),
      onProgress: ({ done, total }) => progress.update(done, total),
      onWait: (milliseconds) => {
        if (Date.now() < waiting) return;
        waiting = Date.now() + milliseconds;
        output.note(
          `The limit of the source is reached: waiting ${counted(Math.ceil(milliseconds / 1000), 'second')}.`,
        );
      },
    }).finally(() => progress.end());
  };
  const { losses, state } = await shown('Reading', (all) => pullToArchive(from, path, all));
  return {
    path,
    losses,
    verify: async () => {
      await rm(path, { force: true });
      await shown('Comparing', (all) => verifySource(from, all, state, output));
    },
    remove: () => rm(spool, { recursive: true, force: true }),
  };
}

async function verifySource(
  from: string,
  options: PullOptions,
  state: ReadState,
  output: Output,
): Promise<void> {
  const differences = await compareSource(from, options, state).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error;
    throw new CommandError(
      `The import is complete, but the source could not be read again to compare it: ${error.message}`,
      EXIT.differs,
    );
  });
  if (differences.length > 0) {
    const named = differences.map(({ kind, expected, found }) =>
      expected === found ? kind : `${kind} (${found} instead of ${expected})`,
    );
    throw new CommandError(
      `The import is complete, but the source has changed since it was read: ${named.join(', ')}. ` +
        'The same command with --follow takes over what has changed.',
      EXIT.differs,
    );
  }
  const compared = Object.values(state.records).reduce((sum, { count }) => sum + count, 0);
  output.note(`The source was read again: ${counted(compared, 'record')} are the same.`);
}

/** Prints what a source would give. */
export async function planFromSource(from: string, options: SourceOptions, output: Output): Promise<void> {
  const { projects, users, requests, seconds, losses } = await planSource(from, pullOptions(from, options));
  output.printTable(
    projects.map(({ key, name, issues, wikis, documents }) => ({
      ...{ Project: key, Name: name, Issues: issues },
      'Wiki pages': wikis,
      Documents: documents,
    })),
  );
  output.print(
    requests === 0
      ? counted(users, 'user')
      : `${counted(users, 'user')}; at least ${counted(requests, 'request')} and one for each file, which take ` +
          `${counted(Math.ceil(seconds / 60), 'minute')} within the usual limits.`,
  );
  describeLosses(losses, output);
}

/** Prints what a source has and the import has not, one line for each kind of loss. */
export function describeLosses(losses: readonly Loss[], output: Output): void {
  if (losses.length > 0) output.note('Not imported:');
  for (const loss of losses) output.note(`- ${lossLine(loss)}`);
}

/** Returns the pairs of `--project` that give a project of the archive another key. */
export const renamedProjects = (from: string, { project = [] }: SourceOptions): string[] =>
  givesKeys(from) ? [] : project.filter((pair) => pair.includes(':'));

function pullOptions(
  from: string,
  { project, key, map, gitUser, gitPassword, textFormat, follow }: SourceOptions,
): PullOptions {
  const environment = readSettings();
  const keys = key ?? readSourceKeys();
  const { projects, projectKeys } = projectChoice(project);
  const name = createHash('sha256')
    .update(JSON.stringify([from, projects]))
    .digest('hex')
    .slice(0, 16);
  const spool = resolve(environment.IMPORT_ROOT, 'sources', name);
  return {
    ...{ environment, keys, projects, projectKeys, map, textFormat, gitUser, gitPassword, spool },
    ...(follow && { isRenewed: true }),
    signal: interruption(),
  };
}
