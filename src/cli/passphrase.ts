import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type Command } from 'commander';
import { type Environment } from '../config/environment';
import { CommandError } from './command';

/** Options for the source of a passphrase. */
export interface PassphraseOptions {
  passphrase?: true;
  passphraseFile?: string;
}

/** Declares the options for a passphrase. */
export const addPassphraseOptions = (command: Command): Command =>
  command
    .option('--passphrase', 'ask for a passphrase; BACKUP_PASSPHRASE is used without asking')
    .option('--passphrase-file <file>', 'read the passphrase from the first line of a file');

/**
 * Returns the passphrase of the options or the setting; undefined if there is none.
 * @param isNew whether to ask twice, because a wrong passphrase would not be noticed
 * @throws CommandError if it is empty or cannot be asked for
 */
export async function readPassphrase(
  { passphrase, passphraseFile }: PassphraseOptions,
  { BACKUP_PASSPHRASE }: Environment,
  isNew: boolean,
): Promise<string | undefined> {
  if (passphraseFile !== undefined) return fromFile(passphraseFile);
  if (BACKUP_PASSPHRASE !== undefined) return BACKUP_PASSPHRASE;
  return passphrase ? ask(isNew) : undefined;
}

function fromFile(path: string): string {
  try {
    return required(readFileSync(path, 'utf8').split(/\r?\n/, 1)[0] ?? '');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The passphrase file cannot be read: ${(error as Error).message}.`);
  }
}

async function ask(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandError('There is no terminal to ask for a passphrase: use --passphrase-file.');
  }
  const given = required(await question('Passphrase: '));
  if (isNew && (await question('Repeat: ')) !== given)
    throw new CommandError('The passphrases do not match.');
  return given;
}

/** Asks on the terminal without showing the input. */
function question(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve, reject) => {
    terminal.once('SIGINT', () => reject(new CommandError('Interrupted.')));
    terminal.question('', resolve);
  }).finally(() => {
    terminal.close();
    process.stderr.write('\n');
  }) as Promise<string>;
}

function required(passphrase: string): string {
  if (passphrase === '') throw new CommandError('The passphrase is empty.');
  return passphrase;
}
