import { openStorage } from '../../../src/attachments/open-storage';
import { createBackup } from '../../../src/backup/create-backup';
import { restoreBackup } from '../../../src/backup/restore-backup';
import { readEnvironment } from '../../../src/config/environment';

/** The report that a backup or restore process prints. */
export interface RunReport {
  seconds: number;
  /** Peak memory of the process, in MiB. */
  peakMemory: number;
  rows: number;
}

/** Creates or restores a backup with the settings of the process. */
async function run(action: string, path: string): Promise<void> {
  const environment = readEnvironment(process.env);
  const options = { environment, storage: openStorage(environment), path };
  const began = performance.now();
  const { rows } = await (action === 'restore' ? restoreBackup(options) : createBackup(options));
  const report: RunReport = {
    seconds: (performance.now() - began) / 1000,
    peakMemory: process.resourceUsage().maxRSS / 1024,
    rows,
  };
  process.stdout.write(JSON.stringify(report));
}

run(process.argv[2] as string, process.argv[3] as string).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
