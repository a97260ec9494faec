import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { COMMAND_LINE } from '../../audit-log/actor';
import { EncryptionModule } from '../../encryption/encryption.module';
import { encryptionKeys } from '../../encryption/encryption-keys';
import { pairsOf } from '../../imports/import-fields';
import { type ImportDto } from '../../imports/dto/import.dto';
import { type ImportOptions } from '../../imports/import-options';
import { type ImportPlan } from '../../imports/import-plan';
import { type ImportPhase } from '../../imports/import-state';
import { ImportPreviewService } from '../../imports/import-preview.service';
import { ImportWorkerService } from '../../imports/import-worker.service';
import { ImportsModule } from '../../imports/imports.module';
import { ImportsService } from '../../imports/imports.service';
import { userPairsOf } from '../../imports/user-pairs';
import { counted, sizeText } from '../../quantities';
import { type Services } from '../../services';
import { type CommandCall, CommandError, type CommandFile, EXIT, ExecutedByServiceError } from '../command';
import { type DatabaseUse } from '../database';
import { interruption } from '../interruption';
import { type Output } from '../output';
import { Progress } from '../progress';
import { withServices } from '../services';
import {
  addSourceOptions,
  describeLosses,
  planFromSource,
  readSource,
  renamedProjects,
  type SourceOptions,
} from '../source-archive';
import { isSource, SOURCE_FORMS } from '../../sources/pull-to-archive';

interface Options extends SourceOptions {
  project?: string[];
  users?: string;
  name?: string;
  keepAccounts?: true;
  dryRun?: true;
  resume?: string;
  cancel?: string;
  list?: true;
  json?: true;
}

const LABELS: Readonly<Record<ImportPhase, string>> = {
  read: 'Reading',
  check: 'Checking',
  write: 'Writing',
  link: 'Linking',
  files: 'Storing files',
  repositories: 'Making git repositories',
  derive: 'Counting',
  verify: 'Comparing',
  compare: 'Comparing with the source',
  publish: 'Publishing',
};

export const configure: CommandFile['configure'] = (command, call) => {
  addSourceOptions(
    command
      .argument('[file]', `an archive of projects, as pms export writes it, or a source: ${SOURCE_FORMS}`)
      .option(
        '--project <keys...>',
        'give projects other keys, such as OLD:NEW; of a source, only these projects',
      ),
  )
    .option('--users <file>', 'a CSV or YAML file with pairs such as OLD,NEW of users, one a line')
    .option('--name <name>', 'what --list shows (default: the name of the file, or the source)')
    .option('--keep-accounts', 'add unknown people as they were, with mail address and role')
    .option(
      '--follow',
      'replace what an earlier import of the same name has added, and read again only what may have changed since',
    )
    .option('--dry-run', 'only check the archive, and print what would be done')
    .option('--resume <id>', 'go on with an import that has stopped')
    .option('--cancel <id>', 'cancel an import, and remove what it has written')
    .option('--list', 'list the latest imports')
    .option('--json', 'print JSON')
    .action((file: string | undefined, options: Options) => choose(call, file, options));
};

function choose(call: CommandCall, file: string | undefined, options: Options): Promise<void> {
  const { list, resume, cancel, dryRun } = options;
  const chosen = [file, list, resume, cancel].filter((one) => one !== undefined);
  if (chosen.length !== 1) throw new CommandError('Name a file, or use --resume, --cancel or --list.');
  if (list) return withImports(call, 'reads', (services) => show(call, services, options));
  if (cancel !== undefined) return cancelImport(call, toId(cancel), options);
  if (resume !== undefined) return resumeImport(call, toId(resume), options);
  if (isSource(file as string)) return addSource(call, file as string, options);
  return dryRun ? preview(call, file as string, options) : add(call, file as string, options);
}

/** Imports a source: reads it in this process, and then imports the archive like any other. */
async function addSource(call: CommandCall, from: string, options: Options): Promise<void> {
  if (options.dryRun) return planFromSource(from, options, call.output);
  const { path, losses, verify, remove } = await readSource(from, options, call.output);
  describeLosses(losses, call.output);
  if (options.to !== undefined) {
    call.output.print(path);
    return;
  }
  const projects = renamedProjects(from, options);
  const { users, name = from, keepAccounts, follow, json } = options;
  // A service that executes the import gets the archive, and no key.
  const words = [
    ...['import', path, '--name', name],
    ...(projects.length > 0 ? ['--project', ...projects] : []),
    ...(users === undefined ? [] : ['--users', users]),
    ...(keepAccounts ? ['--keep-accounts'] : []),
    ...(follow ? ['--follow'] : []),
    ...(json ? ['--json'] : []),
  ];
  const imported = add({ ...call, words }, path, {
    users,
    name,
    keepAccounts,
    follow,
    json,
    project: projects,
  });
  await imported.catch((error: unknown) => {
    // A running service has done it.
    if (!(error instanceof ExecutedByServiceError) || error.exitCode !== EXIT.done) throw error;
  });
  await verify();
  if (!follow) await remove();
}

const withImports = (
  call: CommandCall,
  use: DatabaseUse,
  work: (services: Services) => Promise<void>,
): Promise<void> =>
  withServices(
    call,
    use,
    (settings) => [EncryptionModule.forRoot(encryptionKeys(settings).keys), ImportsModule],
    work,
  );

async function preview(call: CommandCall, file: string, options: Options): Promise<void> {
  const chosen = await optionsOf(options);
  await withImports(call, 'reads', async (services) => {
    const progress = new Progress(LABELS.check);
    const plan = await services(ImportPreviewService)
      .preview(file, chosen, options.name ?? basename(file), (done) => progress.update(done, 0))
      .finally(() => progress.end());
    if (options.json) call.output.printJson(plan);
    else describePlan(call.output, plan);
  });
}

async function add(call: CommandCall, file: string, options: Options): Promise<void> {
  // The service has another working folder.
  const [path, users] = [resolve(file), options.users && resolve(options.users)];
  const words = call.words.map((word) =>
    word === file ? path : word === options.users ? (users as string) : word,
  );
  const signal = call.host?.signal ?? interruption();
  await withImports({ ...call, words }, 'writes', async (services) => {
    const chosen = await optionsOf({ ...options, ...(users !== undefined && { users }) });
    const { name = basename(path) } = options;
    const imports = services(ImportsService);
    const { id, isResumed } = await imports.addOrResume(COMMAND_LINE, path, chosen, { name, signal });
    call.output.note(
      isResumed
        ? `Going on with import ${id}.`
        : `Import ${id}. If it is interrupted, the same command or pms import --resume ${id} goes on.`,
    );
    await run(call, services, id, signal, options);
  });
}

const resumeImport = (call: CommandCall, id: number, options: Options): Promise<void> => {
  const signal = call.host?.signal ?? interruption();
  return withImports(call, 'writes', async (services) => {
    await services(ImportsService).resume(id, false);
    await run(call, services, id, signal, options);
  });
};

async function run(
  call: CommandCall,
  services: Services,
  id: number,
  signal: AbortSignal,
  { json }: Options,
): Promise<void> {
  const shown = new ShownProgress(call);
  const row = await services(ImportWorkerService)
    .run(id, { signal, onProgress: (phase, done, total) => shown.update(phase, done, total) })
    .catch(async (error: unknown) => {
      const { error: reason, state } = await services(ImportsService).get(id);
      throw state === 'stopped'
        ? new CommandError(`${reason} Then run pms import --resume ${id}, or --cancel ${id}.`)
        : error;
    })
    .finally(() => shown.end());
  if (!row) throw new CommandError(`Another process works on import ${id}: see pms import --list.`);
  const imported = await services(ImportsService).get(id);
  if (json) call.output.printJson(imported);
  else describe(call.output, imported);
}

const cancelImport = (call: CommandCall, id: number, { json }: Options): Promise<void> =>
  withImports(call, 'writes', async (services) => {
    const cancelled = await services(ImportsService).cancel(id);
    if (json) call.output.printJson(cancelled);
    else {
      call.output.print(
        cancelled.state === 'cancelled'
          ? `Cancelled import ${id}.`
          : `Cancelled import ${id}: the running service removes what it has written.`,
      );
    }
  });

async function show({ output }: CommandCall, services: Services, { json }: Options): Promise<void> {
  const imports = await services(ImportsService).list();
  if (json) output.printJson(imports);
  else if (imports.length === 0) output.print('There are no imports.');
  else {
    output.printTable(
      imports.map(({ id, name, state, progress, error, created }) => ({
        ID: id,
        From: name,
        State: state,
        Phase: `${progress.phase} ${progress.done}${progress.total > 0 ? ` of ${progress.total}` : ''}`,
        Begun: created,
        Error: error,
      })),
    );
  }
}

function describePlan(output: Output, plan: ImportPlan): void {
  const { records, files, repositories, projects, people, unknownPeople, losses } = plan;
  for (const { key, as, name } of projects) output.print(`${key}${key === as ? '' : ` as ${as}`}: ${name}`);
  output.printTable(
    Object.entries(records)
      .filter(([, count]) => count > 0)
      .map(([Kind, Records]) => ({ Kind, Records })),
  );
  output.print(
    `${counted(files.count, 'file')} (${sizeText(files.bytes)}), ${counted(repositories.count, 'git repository', 'git repositories')} (${sizeText(repositories.bytes)})`,
  );
  output.print(
    `People: ${people.option} by --users, ${people.mail} by mail address, ${people.userId} by login name, ${people.added} to be added`,
  );
  if (unknownPeople.length > 0) output.printTable(unknownPeople.map((person) => ({ 'To be added': person })));
  for (const loss of losses) output.note(loss);
}

function describe(output: Output, { plan, report }: ImportDto): void {
  const keys = plan?.projects.map(({ as }) => as) ?? [];
  output.print(
    `Imported ${counted(keys.length, 'project')}: ${keys.slice(0, 20).join(', ')}. ` +
      `${counted(report?.compared ?? 0, 'row')} are the same as in the archive.`,
  );
  for (const loss of plan?.losses ?? []) output.note(loss);
}

async function optionsOf({
  project = [],
  users,
  keepAccounts = false,
  follow = false,
}: Omit<Options, 'keepAccounts' | 'follow'> & {
  keepAccounts?: boolean;
  follow?: boolean;
}): Promise<ImportOptions> {
  return {
    projects: pairsOf(project.join(','), '--project'),
    users: users === undefined ? {} : userPairsOf(await textOf(users), users),
    keepsAccounts: keepAccounts,
    follows: follow,
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}.`);
  }
}

function toId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new CommandError('The id of an import is a number: see pms import --list.');
  return Number(text);
}

const LINE_INTERVAL_MS = 10_000;

/** Shows a bar for each phase; a service that executes the command prints a line from time to time. */
class ShownProgress {
  private phase?: ImportPhase;
  private bar?: Progress;
  private printed = performance.now();

  constructor(private readonly call: CommandCall) {}

  update(phase: ImportPhase, done: number, total: number): void {
    if (this.call.host || !process.stderr.isTTY) {
      this.printLine(phase, done, total);
      return;
    }
    if (phase !== this.phase) {
      this.end();
      this.phase = phase;
      this.bar = new Progress(LABELS[phase], process.stderr, true);
    }
    this.bar?.update(done, total);
  }

  end(): void {
    this.bar?.end();
  }

  private printLine(phase: ImportPhase, done: number, total: number): void {
    const now = performance.now();
    if (now - this.printed < LINE_INTERVAL_MS) return;
    this.printed = now;
    this.call.output.note(`${LABELS[phase]} ${done}${total > 0 ? ` of ${total}` : ''}`);
  }
}
