import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EncryptionModule } from '../../encryption/encryption.module';
import { encryptionKeys } from '../../encryption/encryption-keys';
import { ProjectExportModule } from '../../project-export/project-export.module';
import { type ExportLine, ProjectExportService } from '../../project-export/project-export.service';
import { type CommandCall, CommandError, type CommandFile } from '../command';
import { print } from '../output';
import { Progress } from '../progress';
import { withServices } from '../services';

interface ExportOptions {
  withoutRepositories?: true;
}

export const configure: CommandFile['configure'] = (command, call) => {
  command
    .command('export')
    .description(
      'export a project as JSON Lines: settings, members, issues, git repositories, pull requests, wiki pages',
    )
    .argument('<key>', 'the key of the project')
    .argument('[file]', 'the file to write, which must not exist yet (default: the standard output)')
    .option('--without-repositories', 'leave out the contents of the git repositories')
    .action((key: string, file: string | undefined, options: ExportOptions) =>
      exportProject(call, key, file, options),
    );
};

function exportProject(
  call: CommandCall,
  key: string,
  file: string | undefined,
  { withoutRepositories }: ExportOptions,
): Promise<void> {
  return withServices(
    call,
    'reads',
    (settings) => [EncryptionModule.forRoot(encryptionKeys(settings).keys), ProjectExportModule],
    async (services) => {
      const lines = services(ProjectExportService).lines(key, withoutRepositories);
      if (file === undefined) await pipeline(Readable.from(texts(lines)), process.stdout, { end: false });
      else print(`Wrote ${await writeFile(file, lines)} lines to ${file}.`);
    },
  );
}

/** Yields one line of text for each line of the export. */
async function* texts(lines: AsyncIterable<ExportLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/**
 * Writes a file that gets its name once it is complete. Only its owner may read it, because it contains mail addresses.
 * @returns the number of lines
 * @throws CommandError if the file already exists
 */
async function writeFile(path: string, lines: AsyncIterable<ExportLine>): Promise<number> {
  if (existsSync(path)) throw new CommandError(`${path} already exists: choose another name, or remove it.`);
  const partial = `${path}.${randomUUID()}.partial`;
  const discard = (): void => rmSync(partial, { force: true });
  const file = await open(partial, 'wx', 0o600);
  const giveBack = onInterruption(discard);
  try {
    const count = await writeLines(file, lines);
    await file.sync();
    await rename(partial, path);
    return count;
  } finally {
    giveBack();
    await file.close();
    discard();
  }
}

/** Runs `cleanUp` before a signal ends the process. @returns a function that undoes this */
function onInterruption(cleanUp: () => void): () => void {
  const end = (): void => {
    cleanUp();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  return () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  };
}

async function writeLines(file: FileHandle, lines: AsyncIterable<ExportLine>): Promise<number> {
  const progress = new Progress('Lines');
  let count = 0;
  try {
    for await (const text of texts(lines)) {
      await file.write(text);
      progress.update(++count, 0);
    }
  } finally {
    progress.end();
  }
  return count;
}
