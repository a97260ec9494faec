import { openStorage } from '../../../src/attachments/open-storage';
import { restoreBackup } from '../../../src/backup/restore-backup';
import { readEnvironment } from '../../../src/config/environment';

/** Restores a backup, and kills itself as soon as a given step has begun. */
async function restoreAndDie(settings: string, path: string, last: string): Promise<void> {
  const environment = readEnvironment(JSON.parse(settings) as Record<string, string>);
  await restoreBackup({
    environment,
    storage: openStorage(environment),
    path,
    onProgress: ({ step }) => {
      if (step === last) process.kill(process.pid, 'SIGKILL');
    },
  });
  process.stdout.write('restored\n');
}

void restoreAndDie(process.argv[2] as string, process.argv[3] as string, process.argv[4] as string);
