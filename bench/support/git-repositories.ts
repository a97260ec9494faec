import { createCipheriv } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Random } from './random';
import { git, gitReading } from './git';

/** The sizes of the repositories. */
export interface RepositorySizes {
  /** Commits of the repository that is cloned. */
  commits: number;
  /** Files of the repository in which pull requests are merged. */
  files: number;
  /** Files changed by the pull request whose pages are read. */
  changedFiles: number;
  /** Incompressible blobs of one mebibyte each. */
  megabytes: number;
}

export const MAIN = 'refs/heads/main';
const BLOB = 1024 * 1024;
const TIME = 1_767_225_600;
const FILES_PER_FOLDER = 100;
const LINES_OF_CHANGED_FILE = 60;
const WORDS = 'the list ends one page too early when its last record was removed by another request'.split(
  ' ',
);

/** Creates a bare repository in the workspace, from which branches can be pushed. */
export async function makeRepository(folder: string, stream: Iterable<Buffer | string>): Promise<string> {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', '.');
  await gitReading(folder, Readable.from(stream), 'fast-import', '--quiet', '--done');
  return folder;
}

/** Generates one branch of many commits, each of which changes one of some small files. */
export function* history({ commits }: RepositorySizes): Generator<string> {
  const random = new Random(1);
  for (let number = 1; number <= commits; number++) {
    const text = textOf(random, random.integer(5, 40));
    yield commitOf(MAIN, number, `Change ${number}`) + fileOf(nameOf(random.integer(0, 499)), text);
  }
  yield 'done\n';
}

/**
 * Generates one commit of many files, a branch that changes many of them, and branches that change one file each.
 * @param branches number of branches that change one file
 */
export function* tree({ files, changedFiles }: RepositorySizes, branches: number): Generator<string> {
  yield commitOf(MAIN, 1, 'Begin');
  for (let file = 0; file < files; file++) yield fileOf(nameOf(file), changedText(file, 0));
  yield commitOf(branchOf('large'), 2, 'Change many files', MAIN);
  for (let file = 0; file < changedFiles; file++) yield fileOf(nameOf(file), changedText(file, 1));
  for (let number = 1; number <= branches; number++) {
    const file = files - number;
    yield commitOf(branchOf(`small-${number}`), 2 + number, `Change file ${file}`, MAIN);
    yield fileOf(nameOf(file), changedText(file, 2));
  }
  yield 'done\n';
}

/** Generates one commit of random bytes. */
export function* blobs({ megabytes }: Pick<RepositorySizes, 'megabytes'>): Generator<Buffer | string> {
  const bytes = createCipheriv('aes-256-ctr', Buffer.alloc(32, 1), Buffer.alloc(16));
  const zeros = Buffer.alloc(BLOB);
  yield commitOf(MAIN, 1, 'Add what does not compress');
  for (let file = 0; file < megabytes; file++) {
    yield `M 100644 inline ${join('random', String(file))}\ndata ${BLOB}\n`;
    yield bytes.update(zeros);
    yield '\n';
  }
  yield 'done\n';
}

export const branchOf = (name: string): string => `refs/heads/${name}`;

/** Returns one version of a file; a tenth of its lines differ between two versions. */
function changedText(file: number, version: number): string {
  const random = new Random(file + 1);
  const lines = textOf(random, LINES_OF_CHANGED_FILE).split('\n');
  return lines
    .map((line, index) => (version > 0 && index % 10 === 5 ? `${line} (version ${version})` : line))
    .join('\n');
}

const textOf = (random: Random, lines: number): string =>
  Array.from({ length: lines }, () =>
    Array.from({ length: 8 }, () => random.pick(WORDS))
      .join(' ')
      .concat('\n'),
  ).join('');

const nameOf = (file: number): string =>
  `folder-${Math.floor(file / FILES_PER_FOLDER)}/file-${file % FILES_PER_FOLDER}.txt`;

const commitOf = (ref: string, number: number, message: string, from?: string): string =>
  `commit ${ref}\ncommitter Ada <ada@example.com> ${TIME + number * 60} +0000\n` +
  `data ${Buffer.byteLength(message)}\n${message}\n${from === undefined ? '' : `from ${from}\n`}`;

const fileOf = (name: string, text: string): string =>
  `M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
