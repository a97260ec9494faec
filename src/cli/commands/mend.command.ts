import { REPAIR_MODULES } from '../../doctor/repairs/repair-modules';
import { repairFaults } from '../../doctor/repairs/run-repairs';
import { type CommandCall, CommandError, type CommandFile } from '../command';
import { interruption } from '../interruption';
import { withServices } from '../services';

export const configure: CommandFile['configure'] = (command, call) => {
  command
    .argument('<check>', 'the check that found the faults')
    .argument('<subjects>', 'the faults to repair, as JSON')
    .action((check: string, subjects: string) => mend(call, check, subjects));
};

/** Prints a line of JSON for each fault, once it is repaired. */
function mend(call: CommandCall, check: string, json: string): Promise<void> {
  const subjects = readSubjects(json);
  return withServices(call, 'writes', REPAIR_MODULES, async (services) => {
    const signal = call.host?.signal ?? interruption();
    for await (const outcome of repairFaults(services, check, subjects, signal)) {
      call.output.print(JSON.stringify(outcome));
    }
  });
}

function readSubjects(json: string): unknown[] {
  try {
    const subjects = JSON.parse(json) as unknown;
    if (Array.isArray(subjects)) return subjects;
  } catch {
    // Reported below.
  }
  throw new CommandError('The subjects must be a JSON array.');
}
