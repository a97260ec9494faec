import { openStorage } from '../../attachments/open-storage';
import { type BackupSummary, createBackup } from '../../backup/create-backup';
import { readSettings } from '../../config/environment';
import { type CommandFile } from '../command';
import { interruption } from '../interruption';
import { note, print, printJson } from '../output';
import { addPassphraseOptions, type PassphraseOptions, readPassphrase } from '../passphrase';
import { Progress } from '../progress';
import { counted, sizeText } from '../../quantities';

interface Options extends PassphraseOptions {
  /** `--without-key` */
  withoutKey?: true;
  /** `--without-repositories` */
  withoutRepositories?: true;
  json?: true;
}

export const configure: CommandFile['configure'] = (command) => {
  addPassphraseOptions(command.argument('<file>', 'the file to write, such as backup.tar.gz'))
    .option('--without-key', 'leave out the encryption key; store it separately')
    .option('--without-repositories', 'leave out the git repositories; back them up separately')
    .option('--json', 'print JSON')
    .action(backUp);
};

async function backUp(path: string, options: Options): Promise<void> {
  const environment = readSettings();
  const passphrase = await readPassphrase(options, environment, true);
  const signal = interruption();
  const storage = openStorage(environment);
  const progress = new Progress('Backing up');
  const summary = await createBackup({
    environment,
    storage,
    path,
    passphrase,
    isWithoutKey: options.withoutKey,
    isWithoutRepositories: options.withoutRepositories,
    onProgress: ({ done }) => progress.update(done, 0),
    signal,
    // oxlint-disable-next-line typescript/no-misused-promises -- finally() waits for it
  }).finally(() => {
    progress.end();
    return storage.close();
  });
  if (options.json) printJson({ file: path, ...summary });
  else describe(path, summary);
  if (summary.lostFiles.length > 0) {
    note(
      `${counted(summary.lostFiles.length, 'file')} could not be read completely and will be missing (attachments ` +
        `${summary.lostFiles.slice(0, 10).join(', ')}): see pms doctor.`,
    );
  }
  if (options.withoutRepositories) note('The git repositories are left out: back up GIT_ROOT separately.');
  if (summary.lostRepositories.length > 0) {
    note(
      `${counted(summary.lostRepositories.length, 'git repository', 'git repositories')} could not be found and will be missing ` +
        `(${summary.lostRepositories.slice(0, 10).join(', ')}): see pms doctor.`,
    );
  }
  if (summary.foreignTables.length > 0) {
    note(`Tables that do not belong to the service are left out: ${summary.foreignTables.join(', ')}.`);
  }
  note(warningOf(summary));
}

function describe(path: string, summary: BackupSummary): void {
  const { bytes, tables, rows, files, fileBytes, repositories, repositoryBytes } = summary;
  print(
    `${path} (${sizeText(bytes)}): ${counted(rows, 'row')} of ${counted(tables, 'table')}, ` +
      `${counted(files, 'file')} (${sizeText(fileBytes)}), ` +
      `${counted(repositories, 'git repository', 'git repositories')} (${sizeText(repositoryBytes)})`,
  );
}

/** Returns the warnings for the keeper of the file. */
function warningOf({ hasKey, isEncrypted }: BackupSummary): string {
  if (isEncrypted && hasKey) {
    return 'It is encrypted and contains the encryption key. It cannot be read without the passphrase.';
  }
  if (isEncrypted)
    return 'It is encrypted. Store the encryption key separately: without it, the secrets of webhooks are lost.';
  return hasKey
    ? 'It is not encrypted and contains the encryption key: anyone with the file can read everything. Use --passphrase to encrypt it.'
    : 'It is not encrypted. It does not contain the encryption key, without which secrets of webhooks are lost.';
}
