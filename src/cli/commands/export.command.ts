import { Option } from 'commander';
import { createArchive } from '../../archives/create-archive';
import { type FileStorage } from '../../attachments/file-storage';
import { openStorage } from '../../attachments/open-storage';
import { type Environment, readSettings } from '../../config/environment';
import { exportFolder, FOLDER_FORMATS, type FolderFormat } from '../../exports/export-folder';
import { counted, sizeText } from '../../quantities';
import { CommandError, type CommandFile } from '../command';
import { interruption } from '../interruption';
import { note, print, printJson } from '../output';
import { Progress } from '../progress';

/** How many lost contents an error names. */
const MAX_NAMED = 100;

interface Options {
  project?: string[];
  to?: FolderFormat;
  /** `--raw-cells` */
  rawCells?: true;
  /** `--without-repositories` */
  withoutRepositories?: true;
  json?: true;
}

/** What an export needs, whatever its form. */
interface Work {
  environment: Environment;
  storage: FileStorage;
  path: string;
  projects?: string[];
  onProgress: (done: number) => void;
  signal: AbortSignal;
}

export const configure: CommandFile['configure'] = (command) => {
  command
    .argument('<file>', 'the file to write, such as projects.pms, or with --to the folder')
    .option('--project <key...>', 'only these projects (default: all projects, users and teams)')
    .addOption(
      new Option('--to <format>', 'write a folder of tables or Markdown instead of an archive').choices(
        FOLDER_FORMATS,
      ),
    )
    .option('--raw-cells', 'with --to csv, leave texts that a spreadsheet takes for formulas as they are')
    .option('--without-repositories', 'leave out the contents of the git repositories')
    .option('--json', 'print JSON')
    .action(exportProjects);
};

async function exportProjects(path: string, options: Options): Promise<void> {
  const { project: projects, to, rawCells } = options;
  if (rawCells && to !== 'csv') throw new CommandError('--raw-cells needs --to csv.');
  const environment = readSettings();
  const signal = interruption();
  const storage = openStorage(environment);
  const progress = new Progress('Exporting');
  const work = {
    ...{ environment, storage, path, signal },
    projects: projects && [...new Set(projects)],
    onProgress: (done: number) => progress.update(done, 0),
  };
  const { result, line, remark, lost } = await (
    to === undefined ? toArchive(work, options) : toFolder(work, to, options)
  )
    // oxlint-disable-next-line typescript/no-misused-promises -- finally() waits for it
    .finally(() => {
      progress.end();
      return storage.close();
    });
  if (options.json) printJson(result);
  else print(line);
  note(remark);
  if (lost.length > 0) {
    const rest = `and ${lost.length - MAX_NAMED} more${to === undefined ? ', which contents.json names' : ''}`;
    const others = lost.length > MAX_NAMED ? ` ${rest}` : '';
    throw new CommandError(
      `${path} lacks the contents of ${lost.slice(0, MAX_NAMED).join(', ')}${others}: the storage does not have them. If they were deleted ` +
        'during the export, export again; otherwise see pms doctor.',
    );
  }
}

/** What a command prints of an export. */
interface Outcome {
  /** With `--json`. */
  result: object;
  line: string;
  remark: string;
  /** Names of what is lost. */
  lost: string[];
}

async function toArchive(work: Work, { withoutRepositories }: Options): Promise<Outcome> {
  const { bytes, records, files, repositories } = await createArchive({
    ...work,
    isWithoutRepositories: withoutRepositories,
  });
  const count = Object.values(records).reduce((sum, kind) => sum + kind.count, 0);
  return {
    result: { file: work.path, bytes, records, files, repositories },
    line:
      `${work.path} (${sizeText(bytes)}): ${counted(records.project?.count ?? 0, 'project')}, ${counted(count, 'record')}, ` +
      `${counted(files.count, 'file')} (${sizeText(files.bytes)}), ` +
      `${counted(repositories.count, 'git repository', 'git repositories')} (${sizeText(repositories.bytes)})`,
    remark: 'It is not encrypted, and contains mail addresses: only its owner may read the file.',
    lost: [...files.lost.map((id) => `file ${id}`), ...repositories.lost.map((id) => `git repository ${id}`)],
  };
}

async function toFolder(work: Work, format: FolderFormat, { rawCells }: Options): Promise<Outcome> {
  const { projects, files, bytes, lost } = await exportFolder({ ...work, format, isRaw: rawCells });
  return {
    result: { folder: work.path, projects, files, bytes, lost },
    line: `${work.path}: ${counted(projects, 'project')}, ${counted(files, 'file')} (${sizeText(bytes)})`,
    remark:
      'It cannot be imported, and has no histories and git repositories: an archive, without --to, has everything.',
    lost: lost.map((id) => `file ${id}`),
  };
}
