import { openStorage } from '../../attachments/open-storage';
import { type Environment, EnvironmentError, readSettings } from '../../config/environment';
import { examine } from '../../doctor/doctor';
import { type Finding, ok, problem } from '../../doctor/finding';
import { CommandError, type CommandFile } from '../command';
import { print, printJson } from '../output';
import { counted } from '../../quantities';

export const configure: CommandFile['configure'] = (command) => {
  command.option('--json', 'print JSON').action(({ json }: { json?: true }) => diagnose(json ?? false));
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
  yield ok('settings', 'All of them can be read.');
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
