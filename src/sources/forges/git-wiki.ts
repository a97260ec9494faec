import { FATAL, GitOutputError } from '../../git/git-errors';
import { NOBODY } from '../../git/git-pools';
import { type GitProgram } from '../../git/git-program';
import { type ArchiveBuilder } from '../archive-builder';
import { type SourceWikiVersion } from '../model';
import { type SourceReport } from '../source';
import { type ForgePeople } from './people';

/** A name of a file that both hosts take for a page, whatever its markup. */
const PAGE_NAME =
  /^(.+)\.(md|markdown|mdown|mkdn?|textile|rdoc|org|creole|mediawiki|wiki|rst|asciidoc|adoc|asc|pod)$/i;
const MARKDOWN = /\.(md|markdown|mdown|mkdn?)$/i;
/** The longest text of a page, in bytes. */
const MAX_PAGE = 4 * 1024 * 1024;
/** A log, and a list of files, are as long as the wiki has changes. */
const TIMEOUT_MS = 3_600_000;
const MAX_LIST = 64 * 1024 * 1024;
const VERSIONS = '#wiki version';

/** What a wiki is read with. */
export interface WikiContext extends SourceReport {
  builder: ArchiveBuilder;
  people: ForgePeople;
  git: GitProgram;
  projectId: number;
  projectKey: string;
  /** The time of the reading. */
  time: number;
}

/** A version of a page, on disk until all are known. */
interface StagedVersion {
  blob: string;
  createdUserId: number;
  created: number;
}

/** Reads a wiki from its git repository: the pages of the last commit, each with its history. */
export class GitWiki {
  constructor(
    private readonly context: WikiContext,
    /** The folder of a bare clone. */
    private readonly repository: string,
  ) {}

  async read(): Promise<void> {
    const { losses, onProgress, projectKey } = this.context;
    if (!(await this.hasCommits())) return;
    await this.stageVersions();
    const files = await this.files();
    let done = 0;
    for (const { path, blob } of files) {
      const name = nameOf(path);
      if (name === undefined) losses.note('Files of the wiki that are no pages', path);
      else {
        if (!MARKDOWN.test(path)) losses.note('The markup of wiki pages that are not Markdown', path);
        await this.page(path, name, blob);
      }
      onProgress?.({ what: `wiki pages of ${projectKey}`, done: ++done, total: files.length });
    }
  }

  private async hasCommits(): Promise<boolean> {
    const { git } = this.context;
    const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
    return (await git.text(args, { ...this.options(), okCodes: [1, FATAL] })) !== '';
  }

  /** Keeps which commits have changed which pages, from the first on. */
  private async stageVersions(): Promise<void> {
    const { git, builder, people, time } = this.context;
    const format = '--format=tformat:%at%n%ae%n%an';
    const args = ['log', '-z', '--raw', '--no-abbrev', '--no-renames', '--reverse', format, 'HEAD', '--'];
    const child = await git.start(args, this.options());
    child.stdin.end();
    let author = { createdUserId: 0, created: 0 };
    let blob: string | undefined;
    let number = 0;
    try {
      for await (const field of fieldsOf(child.stdout)) {
        if (blob !== undefined) {
          // A removed file has no blob.
          if (nameOf(field) !== undefined && !/^0+$/.test(blob)) {
            builder.records.add(VERSIONS, [field, ++number], { blob, ...author } satisfies StagedVersion);
          }
          blob = undefined;
          continue;
        }
        const line = field.trimStart();
        if (line.startsWith(':')) blob = line.split(' ')[3] ?? '';
        else {
          const [seconds = '', mail = '', ...name] = line.split('\n');
          const created = Math.min(Math.max(Number(seconds) * 1000 || 0, 0), time);
          author = { created, createdUserId: people.idOfCommitter(name.join(' '), mail) };
        }
      }
      const { code, stderr } = await child.exited;
      if (code !== 0) throw new Error(`git log ended with ${code}: ${stderr}`);
    } finally {
      child.kill();
    }
  }

  /** Returns the files of the last commit. */
  private async files(): Promise<{ path: string; blob: string }[]> {
    const { git } = this.context;
    const { stdout } = await git.run(['ls-tree', '-r', '-z', 'HEAD'], {
      ...this.options(),
      maxOutput: MAX_LIST,
    });
    return stdout
      .toString()
      .split('\0')
      .flatMap((line) => {
        const [, type, blob = '', path = ''] = /^\d+ (\w+) ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
        return type === 'blob' ? [{ path, blob }] : [];
      });
  }

  private async page(path: string, name: string, blob: string): Promise<void> {
    const { builder, projectId, losses } = this.context;
    const content = await this.textOf(blob);
    if (content === undefined) {
      losses.note(`Wiki pages with more than ${MAX_PAGE / 1024 / 1024} MiB`, path);
      return;
    }
    const staged = builder.records.within<StagedVersion>(VERSIONS, path);
    let first: StagedVersion | undefined;
    let last: StagedVersion | undefined;
    for (const version of staged) {
      first ??= version;
      last = version;
    }
    // Only merges have changed it, which the log does not show.
    if (!first || !last) {
      losses.note('Wiki pages whose authors the git repository does not show', path);
      return;
    }
    const id = builder.newId('wiki');
    const { createdUserId, created } = first;
    await builder.wiki(
      {
        ...{ id, projectId, name, content, tags: [], files: [], sharedFileIds: [], stars: [] },
        ...{ createdUserId, created, updatedUserId: last.createdUserId, updated: last.created },
      },
      this.versions(path, name, { blob, content, last }),
    );
    builder.endSubject('wiki', id);
  }

  /** Yields the versions of a page; the last one is what it is now, also if a merge has changed it. */
  private async *versions(
    path: string,
    name: string,
    now: { blob: string; content: string; last: StagedVersion },
  ): AsyncGenerator<SourceWikiVersion> {
    const { builder, losses } = this.context;
    let version = 0;
    let before = '';
    for (const { blob, createdUserId, created } of builder.records.within<StagedVersion>(VERSIONS, path)) {
      before = blob;
      const content = blob === now.blob ? now.content : await this.textOf(blob);
      if (content === undefined) losses.note('Versions of wiki pages that are too long', path);
      else yield { version: ++version, name, content, createdUserId, created };
    }
    if (before === now.blob) return;
    const { createdUserId, created } = now.last;
    yield { version: version + 1, name, content: now.content, createdUserId, created };
  }

  /** Returns the text of a blob; undefined if it is too long. */
  private async textOf(blob: string): Promise<string | undefined> {
    const { git } = this.context;
    try {
      const { stdout } = await git.run(['cat-file', 'blob', blob], {
        ...this.options(),
        maxOutput: MAX_PAGE,
      });
      return stdout.toString();
    } catch (error) {
      if (error instanceof GitOutputError) return undefined;
      throw error;
    }
  }

  private options() {
    return { repository: this.repository, userId: NOBODY, timeoutMs: TIMEOUT_MS };
  }
}

/** Returns the name of the page of a file: spaces are dashes in the names of files. Undefined for a file that is no page. */
function nameOf(path: string): string | undefined {
  const name = PAGE_NAME.exec(path)?.[1]?.replaceAll('-', ' ').trim() ?? '';
  return name === '' ? undefined : name;
}

/** Yields the fields of an output, each of which ends with NUL. */
async function* fieldsOf(output: AsyncIterable<unknown>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of output) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0, start)) {
      yield rest.toString('utf8', start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
}
