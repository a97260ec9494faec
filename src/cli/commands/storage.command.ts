import { type FileStorage } from '../../attachments/file-storage';
import { areSame, moveFiles, type MoveResult } from '../../attachments/move-files';
import { openStorage } from '../../attachments/open-storage';
import { readSettings } from '../../config/environment';
import { isStorageUrl, STORAGE_URL_FORM } from '../../config/storage-url';
import { counted, sizeText } from '../../quantities';
import { CommandError, type CommandFile } from '../command';
import { interruption } from '../interruption';
import { note, print, printJson } from '../output';
import { Progress } from '../progress';

interface Options {
  remove?: true;
  json?: true;
}

export const configure: CommandFile['configure'] = (command) => {
  command
    .command('move')
    .description('copy all files from STORAGE_URL to another storage; continues a run that was interrupted')
    .argument('<url>', 'file:PATH or s3://BUCKET/PREFIX, as for STORAGE_URL')
    .option('--remove', 'remove each source file once its copy has been verified')
    .option('--json', 'print JSON')
    .action(move);
};

async function move(url: string, { remove, json }: Options): Promise<void> {
  // The URL is not repeated, because it may contain a key.
  if (!isStorageUrl(url)) throw new CommandError(`The target URL must be ${STORAGE_URL_FORM}.`);
  const from = readSettings();
  const to = readSettings({ STORAGE_URL: url });
  const signal = interruption();
  const progress = new Progress('Moving files');
  const [source, target] = [openStorage(from), openStorage(to)];
  try {
    await target.prepare(false);
    if (await areSame(source, target))
      throw new CommandError(`The files are already in ${from.STORAGE_URL}.`);
    const result = await moveFiles(source, target, {
      remove,
      signal,
      onProgress: ({ bytes, totalBytes }) => progress.update(bytes, totalBytes),
    });
    progress.end();
    if (json) printJson(result);
    else describe(result);
    note(
      `Set STORAGE_URL=${url} and start the service. Run the command again to copy files that were uploaded in the meantime.`,
    );
  } finally {
    progress.end();
    await Promise.all([source, target].map((storage: FileStorage) => storage.close()));
  }
}

function describe({ copied, copiedBytes, present, removed }: MoveResult): void {
  print(
    `Copied ${counted(copied, 'file')} (${sizeText(copiedBytes)}); ${counted(present, 'file')} were already there.`,
  );
  if (removed > 0) print(`Removed ${counted(removed, 'source file')}.`);
}
