import { createArchive } from '../../archives/create-archive';
import { openStorage } from '../../attachments/open-storage';
import { readSettings } from '../../config/environment';
import { counted, sizeText } from '../../quantities';
import { CommandError, type CommandFile } from '../command';
import { interruption } from '../interruption';
import { note, print, printJson } from '../output';
import { Progress } from '../progress';

/** How many lost contents an error names. */
const MAX_NAMED = 100;

interface Options {
  project?: string[];
  /** `--without-repositories` */
  withoutRepositories?: true;
  json?: true;
}

export const configure: CommandFile['configure'] = (command) => {
  command
    .argument('<file>', 'the file to write, such as projects.pms')
    .option('--project <key...>', 'only these projects (default: all projects, users and teams)')
    .option('--without-repositories', 'leave out the contents of the git repositories')
    .option('--json', 'print JSON')
    .action(exportProjects);
};

async function exportProjects(
  path: string,
  { project: projects, withoutRepositories, json }: Options,
): Promise<void> {
  const environment = readSettings();
  const signal = interruption();
  const storage = openStorage(environment);
  const progress = new Progress('Exporting');
  const { bytes, records, files, repositories } = await createArchive({
    environment,
    storage,
    path,
    projects: projects && [...new Set(projects)],
    isWithoutRepositories: withoutRepositories,
    onProgress: (done) => progress.update(done, 0),
    signal,
    // oxlint-disable-next-line typescript/no-misused-promises -- finally() waits for it
  }).finally(() => {
    progress.end();
    return storage.close();
  });
  if (json) printJson({ file: path, bytes, records, files, repositories });
  else {
    const count = Object.values(records).reduce((sum, kind) => sum + kind.count, 0);
    print(
      `${path} (${sizeText(bytes)}): ${counted(records.project?.count ?? 0, 'project')}, ${counted(count, 'record')}, ` +
        `${counted(files.count, 'file')} (${sizeText(files.bytes)}), ` +
        `${counted(repositories.count, 'git repository', 'git repositories')} (${sizeText(repositories.bytes)})`,
    );
  }
  note('It is not encrypted, and contains mail addresses: only its owner may read the file.');
  const lost = [
    ...files.lost.map((id) => `file ${id}`),
    ...repositories.lost.map((id) => `git repository ${id}`),
  ];
  if (lost.length > 0) {
    const others =
      lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more, which contents.json names` : '';
    throw new CommandError(
      `${path} lacks the contents of ${lost.slice(0, MAX_NAMED).join(', ')}${others}: the storage does not have them. If they were deleted ` +
        'during the export, export again; otherwise see pms doctor.',
    );
  }
}
