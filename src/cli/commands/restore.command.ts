import { openStorage } from '../../attachments/open-storage';
import { isEncryptedArchive } from '../../backup/archive/archive-file';
import { type Progress as Step } from '../../backup/progress';
import { restoreBackup, type RestoreSummary } from '../../backup/restore-backup';
import { verifyBackup } from '../../backup/verify-backup';
import { type Environment, readSettings } from '../../config/environment';
import { type CommandFile } from '../command';
import { note, print, printJson } from '../output';
import { addPassphraseOptions, type PassphraseOptions, readPassphrase } from '../passphrase';
import { Progress } from '../progress';
import { counted } from '../../quantities';

interface Options extends PassphraseOptions {
  check?: true;
  holdDeliveries?: true;
  withoutRepositories?: true;
  json?: true;
}

const LABELS: Record<Step['step'], string> = {
  verify: 'Verifying',
  files: 'Restoring files',
  rows: 'Restoring rows',
  repositories: 'Restoring git repositories',
  check: 'Comparing',
  place: 'Moving git repositories',
};

export const configure: CommandFile['configure'] = (command) => {
  addPassphraseOptions(command.argument('<file>', 'a backup'))
    .option('--check', 'only check the backup against its checksums')
    .option('--hold-deliveries', 'disable every webhook, so that a copy of the service sends nothing')
    .option('--without-repositories', 'leave out the git repositories, for example on a machine without git')
    .option('--json', 'print JSON')
    .action((path: string, options: Options) =>
      options.check ? check(path, options) : restore(path, options),
    );
};

async function restore(path: string, options: Options): Promise<void> {
  const environment = readSettings();
  const passphrase = await passphraseOf(path, options, environment);
  const storage = openStorage(environment);
  const progress = new StepProgress();
  const summary = await restoreBackup({
    environment,
    storage,
    path,
    passphrase,
    isHoldingDeliveries: options.holdDeliveries,
    isWithoutRepositories: options.withoutRepositories,
    onProgress: (step) => progress.update(step),
    // oxlint-disable-next-line typescript/no-misused-promises -- finally() waits for it
  }).finally(() => {
    progress.end();
    return storage.close();
  });
  if (options.json) printJson({ file: path, ...summary });
  else describe(summary, options);
}

function describe(summary: RestoreSummary, { holdDeliveries, withoutRepositories }: Options): void {
  const { created, version, tables, rows, files, migrations, pendingDeliveries, lostFiles, missingKeys } =
    summary;
  print(
    `Restored the backup of ${created} (version ${version}): ${counted(rows, 'row')} of ` +
      `${counted(tables, 'table')}, ${counted(files, 'file')}, ${repositoriesText(summary.repositories)}.`,
  );
  if (withoutRepositories || summary.lacksRepositories) {
    note('Restored without git repositories: branches, tags and the commits of pull requests are missing.');
  }
  if (summary.lostRepositories.length > 0) {
    note(`The backup lacks ${repositoriesText(summary.lostRepositories.length)}: see pms doctor.`);
  }
  if (migrations > 0) note(`Migrated to the schema of this version: ${counted(migrations, 'migration')}.`);
  if (lostFiles.length > 0) note(`The backup lacks ${counted(lostFiles.length, 'file')}: see pms doctor.`);
  if (missingKeys !== undefined) note(missingKeys);
  if (holdDeliveries) {
    note(
      `Every webhook is disabled; ${counted(pendingDeliveries, 'delivery', 'deliveries')} will be sent once their webhook is enabled.`,
    );
  } else if (pendingDeliveries > 0) {
    note(
      `${counted(pendingDeliveries, 'delivery', 'deliveries')} of webhooks will be sent when the service starts, ` +
        'including those that were already sent after the backup.',
    );
  }
}

const repositoriesText = (count: number): string => counted(count, 'git repository', 'git repositories');

async function check(path: string, options: Options): Promise<void> {
  const passphrase = await passphraseOf(path, options, readSettings());
  const progress = new StepProgress();
  const { head, migrations, tables, manifest, keys } = await verifyBackup(path, {
    passphrase,
    onProgress: (step) => progress.update(step),
  }).finally(() => progress.end());
  const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0);
  const files = manifest.files.count - manifest.files.superfluous.length;
  const repositories = manifest.repositories?.isLeftOut
    ? 'no git repositories'
    : repositoriesText(manifest.repositories?.count ?? 0);
  if (options.json) {
    printJson({ file: path, ...head, hasKey: keys.length > 0, migrations, ...manifest });
    return;
  }
  print(
    `The backup of ${head.created} (version ${head.version}, ${head.engine}) is intact: ${counted(rows, 'row')} of ` +
      `${counted(tables.size, 'table')}, ${counted(files, 'file')}, ${repositories}${keys.length > 0 ? ', the encryption key' : ''}.`,
  );
}

/** Asks for a passphrase if the backup needs one and none is given. */
async function passphraseOf(
  path: string,
  options: PassphraseOptions,
  environment: Environment,
): Promise<string | undefined> {
  if (!(await isEncryptedArchive(path))) return undefined;
  const passphrase = options.passphrase ?? (process.stdin.isTTY ? true : undefined);
  return readPassphrase({ ...options, passphrase }, environment, false);
}

/** Shows a progress bar for each step. */
class StepProgress {
  private step?: Step['step'];
  private progress?: Progress;

  update({ step, done, total }: Step): void {
    if (step !== this.step) {
      this.end();
      this.step = step;
      this.progress = new Progress(LABELS[step]);
    }
    this.progress?.update(done, total ?? 0);
  }

  end(): void {
    this.progress?.end();
  }
}
