import { GitStore } from '../../src/git/git-store';
import { runGit } from './git-runner';
import { type World } from './world';

/** A file of a commit. Its path may be bytes; without content it is deleted. */
export interface ImportedFile {
  path: string | Buffer;
  content?: string | Buffer;
  /** Default: `100644`. */
  mode?: string;
  /** Instead of content, the hash of a commit of another repository. */
  commit?: string;
}

/** A commit for `git fast-import`. */
export interface ImportedCommit {
  /** The ref that points to the commit afterwards. */
  ref: string;
  /** Parents: marks such as `:1`, or refs. Default: the commit that the ref points to. */
  parents?: readonly string[];
  message?: string | Buffer;
  /** Default: `Ada <ada@example.com>`. */
  author?: string;
  /** Seconds since 1970. */
  time?: number;
  files?: readonly ImportedFile[];
}

/** Default time of commits, in seconds since 1970. */
export const COMMIT_TIME = Date.parse('2026-01-31T09:30:00Z') / 1000;

/** Imports commits into a repository, bypassing the checks of the service, and returns their hashes. The first has the mark `:1`. */
export async function importCommits(
  world: World,
  repositoryId: number,
  commits: readonly ImportedCommit[],
): Promise<string[]> {
  const parts = commits.flatMap((commit, index) => commitParts(commit, index + 1));
  const marks = commits.map((_commit, index) => `get-mark :${index + 1}\n`).join('');
  const text = await gitIn(
    world,
    repositoryId,
    ['fast-import', '--quiet', '--force'],
    [...parts, marks, 'done\n'],
  );
  return text.trim().split('\n');
}

/**
 * Adds a commit whose folder has one file, of a mode and name that git itself does not write; returns its hash.
 * @param file such as `100644 .git`
 */
export async function commitOddFile(
  world: World,
  repositoryId: number,
  ref: string,
  file: string,
): Promise<string> {
  const git = (args: readonly string[], input: readonly (string | Buffer)[] = []): Promise<string> =>
    gitIn(world, repositoryId, args, input);
  const blob = await git(['hash-object', '-w', '--stdin'], ['content']);
  const literally = ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'];
  const tree = await git(literally, [`${file}\0`, Buffer.from(blob, 'hex')]);
  const commit = await git(['commit-tree', tree, '-m', 'An odd file']);
  await git(['update-ref', ref, commit]);
  return commit;
}

/** Runs git in the folder of a repository, bypassing the checks of the service, and returns its output. */
export async function gitIn(
  world: World,
  repositoryId: number,
  args: readonly string[],
  input: readonly (string | Buffer)[] = [],
): Promise<string> {
  const folder = await world.service(GitStore).open(repositoryId);
  const { code, stdout, stderr } = await runGit({
    args: [`--git-dir=${folder}`, '-c', 'safe.directory=*', ...args],
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      LC_ALL: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    },
    input: Buffer.concat(input.map((part) => Buffer.from(part as string))),
  });
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

function commitParts(commit: ImportedCommit, mark: number): (string | Buffer)[] {
  const { ref, parents, message = 'A commit', author = 'Ada <ada@example.com>', time = COMMIT_TIME } = commit;
  const [from, ...merged] = parents ?? [];
  return [
    ...(parents?.length === 0 ? [`reset ${ref}\n`] : []),
    `commit ${ref}\nmark :${mark}\n`,
    `author ${author} ${time} +0000\ncommitter ${author} ${time} +0000\n`,
    ...data(message),
    ...(from === undefined ? [] : [`from ${from}\n`]),
    ...merged.map((parent) => `merge ${parent}\n`),
    ...(commit.files ?? []).flatMap(fileParts),
  ];
}

function fileParts({ path, content, mode = '100644', commit }: ImportedFile): (string | Buffer)[] {
  const quoted = Buffer.concat([Buffer.from('"'), quote(Buffer.from(path as string)), Buffer.from('"\n')]);
  if (commit !== undefined) return [`M 160000 ${commit} `, quoted];
  if (content === undefined) return ['D ', quoted];
  return [`M ${mode} inline `, quoted, ...data(content)];
}

const data = (content: string | Buffer): (string | Buffer)[] => [
  `data ${Buffer.byteLength(content)}\n`,
  content,
  '\n',
];

/** Returns bytes in git's C-style quoting. */
const quote = (bytes: Buffer): Buffer =>
  Buffer.from(
    [...bytes]
      .map((byte) =>
        byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
          ? `\\${byte.toString(8).padStart(3, '0')}`
          : String.fromCharCode(byte),
      )
      .join(''),
  );
