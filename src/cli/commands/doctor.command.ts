import { Option } from 'commander';
import { FileStorage } from '../../attachments/file-storage';
import { openStorage } from '../../attachments/open-storage';
import { type Environment, EnvironmentError, readSettings } from '../../config/environment';
import { examine } from '../../doctor/doctor';
import { type Finding, ok, problem } from '../../doctor/finding';
import { REPAIR_MODULES } from '../../doctor/repairs/repair-modules';
import {
  type Outcome,
  type Repairer,
  repairFaults,
  type RepairResult,
  runRepairs,
} from '../../doctor/repairs/run-repairs';
import { CommandError, type CommandFile } from '../command';
import { interruption } from '../interruption';
import { note, Output, print, printJson } from '../output';
import { counted } from '../../quantities';
import { withOwnServices } from '../services';
import { connectToService, executeByService } from '../socket/service-client';

interface Options {
  fix?: true;
  dryRun?: true;
  json?: true;
}

export const configure: CommandFile['configure'] = (command) => {
  command
    .option(
      '--fix',
      'repair counters, memberships, used storage, orphaned rows, files and git folders, damaged git refs, and drafts of restores',
    )
    .addOption(new Option('--dry-run', 'only print what --fix would repair').implies({ fix: true }))
    .option('--json', 'print JSON')
    .action(({ fix, dryRun, json }: Options) =>
      fix ? repair(dryRun ?? false, json ?? false) : diagnose(json ?? false),
    );
};

async function diagnose(isJson: boolean): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of allFindings()) {
    findings.push(finding);
    if (!isJson) print(lineOf(finding));
  }
  if (isJson) printJson(findings);
  const problems = findings.filter(({ level }) => level === 'problem').length;
  if (problems > 0) throw new CommandError(`${counted(problems, 'problem')} found.`);
}

async function* allFindings(): AsyncGenerator<Finding> {
  let environment: Environment;
  try {
    environment = readSettings();
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    for (const message of error.problems) yield problem('settings', message, 'See .env.example.');
    return;
  }
  yield ok('settings', 'All settings are valid.');
  const storage = openStorage(environment);
  try {
    yield* examine(environment, storage);
  } finally {
    await storage.close();
  }
}

function lineOf({ level, check, message, advice }: Finding): string {
  return `${level.padEnd(7)}  ${check}: ${message}${advice === undefined ? '' : ` ${advice}`}`;
}

async function repair(isDryRun: boolean, isJson: boolean): Promise<void> {
  const environment = readSettings();
  const storage = openStorage(environment);
  const results: RepairResult[] = [];
  const run = async (repairer?: Repairer): Promise<void> => {
    for await (const result of runRepairs(environment, storage, repairer)) {
      results.push(result);
      if (!isJson) print(resultLine(result));
    }
  };
  try {
    if (isDryRun) await run();
    else await withRepairer(environment, run);
  } finally {
    await storage.close();
  }
  if (isJson) printJson(results);
  const left = results.filter(({ state }) => state === 'left').length;
  if (left > 0) throw new CommandError(`${counted(left, 'fault')} left.`);
  note(summaryOf(results.filter(({ state }) => state !== 'note').length, isDryRun));
}

/** Runs `work` with a function that repairs faults: in the running service that has the database open, otherwise in this process. */
async function withRepairer(environment: Environment, work: (fix: Repairer) => Promise<void>): Promise<void> {
  const service = await connectToService(environment);
  if (service) {
    service.destroy();
    await work((check, subjects) => repairInService(environment, check, subjects));
    return;
  }
  const signal = interruption();
  await withOwnServices(environment, 'writes', REPAIR_MODULES, async (services) => {
    await work(async (check, subjects) => {
      const outcomes: Outcome[] = [];
      for await (const outcome of repairFaults(services, check, subjects, signal)) outcomes.push(outcome);
      return outcomes;
    });
    await services(FileStorage).close();
  });
}

async function repairInService(
  environment: Environment,
  check: string,
  subjects: readonly unknown[],
): Promise<Outcome[]> {
  const service = await connectToService(environment);
  if (!service) throw new CommandError('The service has stopped: run it again.');
  const printed = { out: '', error: '' };
  const output = new Output({
    out: (text) => (printed.out += text),
    error: (text) => (printed.error += text),
  });
  const exitCode = await executeByService(service, ['mend', check, JSON.stringify(subjects)], output);
  if (exitCode !== 0) throw new CommandError(`The service could not repair it: ${printed.error.trim()}`);
  return printed.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Outcome);
}

const LABELS: Readonly<Record<RepairResult['state'], string>> = {
  found: 'to do',
  mended: 'fixed',
  gone: 'gone',
  left: 'left',
  note: 'note',
};

function resultLine(result: RepairResult): string {
  const reason = result.state === 'left' ? ` ${result.reason}` : '';
  return `${LABELS[result.state].padEnd(6)}  ${result.check}: ${result.fault}${reason}`;
}

function summaryOf(faults: number, isDryRun: boolean): string {
  if (faults === 0) return 'Found no faults.';
  return isDryRun
    ? `${counted(faults, 'fault')} to repair. Run pms doctor --fix, which also repairs faults that follow from a repair.`
    : `Done: ${counted(faults, 'fault')}.`;
}
