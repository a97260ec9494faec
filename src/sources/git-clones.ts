import { rename, rm } from 'node:fs/promises';
import { exists } from '../errors/missing-file';
import { NOBODY } from '../git/git-pools';
import { type GitProgram } from '../git/git-program';
import { receivedObjectChecks } from '../git/object-checks';
import { type AddressGuard } from '../outgoing/address-guard';
import { type Spool } from './spool/spool';

/** A clone takes as long as its repository is large. */
const CLONE_TIMEOUT_MS = 24 * 3_600_000;
/** Refs have some hundred bytes. */
export const MAX_REFS_BYTES = 256 * 1024 * 1024;

/** How the git repositories of a source are cloned. */
export interface CloneOptions {
  git: GitProgram;
  spool: Spool;
  /** The origin of the source. */
  origin: string;
  user: string;
  /** Empty for repositories that everybody may read. */
  password: string;
  signal?: AbortSignal;
  /** Decides where git connects to, if the address is not the operator's. */
  guard?: AddressGuard;
}

/** A bare clone. */
export interface Clone {
  path: string;
  /** The target of `HEAD`, such as `refs/heads/main`. */
  head: string;
}

/** What is cloned. */
export interface CloneRequest {
  /** The name of its folder, without `.git`. */
  name: string;
  /** The path of its address at the source's own origin: the password goes nowhere else. */
  path: string;
  /**
   * The place of the heads of requests to merge at the source, such as `refs/merge-requests/`: they become those of pull requests here, and
   * other refs than branches and tags are left out. By default, all refs are kept.
   */
  requests?: string;
}

/**
 * Clones the git repositories of a source into its spool; what is there is not cloned again (`docs/decisions/0070-sources.md`). A later
 * reading asks only for the objects that the last one has not got.
 */
export class GitClones {
  constructor(private readonly options: CloneOptions) {}

  /**
   * Returns a clone of a repository; undefined if it cannot be cloned.
   * @param onFailure called with the reason then
   */
  async clone(request: CloneRequest, onFailure: (reason: string) => void): Promise<Clone | undefined> {
    try {
      return await this.cloned(request);
    } catch (error) {
      this.options.signal?.throwIfAborted();
      onFailure(reasonOf((error as Error).message));
      return undefined;
    }
  }

  private async cloned({ name, path, requests }: CloneRequest): Promise<Clone> {
    const { git, spool } = this.options;
    const folder = spool.path('git', `${name}.git`);
    if (!(await exists(folder))) {
      const partial = `${folder}.partial`;
      await rm(partial, { recursive: true, force: true });
      const last = spool.lastPath('git', `${name}.git`);
      await this.fetch(path, partial, (await exists(last)) ? ['--reference', last, '--dissociate'] : []);
      if (requests !== undefined) await this.keepHeads(partial, requests);
      await rename(partial, folder);
    }
    return {
      path: folder,
      head: await git.text(['symbolic-ref', 'HEAD'], { repository: folder, userId: NOBODY }),
    };
  }

  private async fetch(path: string, folder: string, options: readonly string[]): Promise<void> {
    const { git, origin, user, password, signal } = this.options;
    const addresses = await this.checkedAddresses();
    await git.run(['clone', '--quiet', '--mirror', ...options, '--', `${origin}${path}`, folder], {
      userId: NOBODY,
      timeoutMs: CLONE_TIMEOUT_MS,
      signal,
      config: {
        ...receivedObjectChecks('fetch'),
        'http.followRedirects': 'false',
        [`protocol.${origin.split(':')[0]}.allow`]: 'always',
        ...(addresses !== undefined && { 'http.curloptResolve': addresses }),
      },
      ...(password !== '' && {
        // Not among the arguments, which every user of the machine can see.
        env: {
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
          GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        },
      }),
    });
  }

  /**
   * Returns the only addresses to which git may connect, as curl takes them; undefined if the operator has chosen the source.
   * @throws RefusedAddressError
   */
  private async checkedAddresses(): Promise<string | undefined> {
    const { guard, origin } = this.options;
    if (!guard) return undefined;
    const url = new URL(origin);
    const { hostname, protocol } = url;
    const port = url.port || (protocol === 'https:' ? '443' : '80');
    const addresses = await guard.resolve(url);
    return `${hostname}:${port}:${addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(',')}`;
  }

  private async keepHeads(repository: string, requests: string): Promise<void> {
    const { git } = this.options;
    const options = { repository, userId: NOBODY, timeoutMs: CLONE_TIMEOUT_MS, maxOutput: MAX_REFS_BYTES };
    const listed = await git.text(['for-each-ref', '--format=%(objectname) %(refname)'], options);
    const { deleted, created } = headChanges(listed, requests);
    // First the old refs: a transaction does not change a ref twice.
    for (const commands of [deleted, created]) {
      if (commands.length > 0)
        await git.run(['update-ref', '--stdin'], { ...options, input: `${commands.join('\n')}\n` });
    }
  }
}

/** Returns the line of an error that tells most: the one with the object that git refuses, or the last. */
function reasonOf(message: string): string {
  const lines = message.trim().split('\n');
  const [, object] = /(object [\da-f]{40}: .*)/.exec(message) ?? [];
  return (object ?? lines.at(-1) ?? '').slice(0, 200);
}

const KEPT = /^refs\/(heads|tags)\//;
const HEAD = /^([1-9]\d{0,8})\/head$/;

/** Returns the commands of `git update-ref --stdin` that leave only branches, tags and heads of pull requests of these refs. */
function headChanges(refs: string, requests: string): { deleted: string[]; created: string[] } {
  const [deleted, created]: [string[], string[]] = [[], []];
  for (const line of refs.split('\n')) {
    const [hash = '', ref = ''] = line.split(' ');
    if (ref === '' || KEPT.test(ref)) continue;
    const number = ref.startsWith(requests) ? HEAD.exec(ref.slice(requests.length))?.[1] : undefined;
    const kept = `refs/pull/${number ?? ''}/head`;
    if (ref === kept) continue;
    deleted.push(`delete ${ref}`);
    if (number !== undefined) created.push(`create ${kept} ${hash}`);
  }
  return { deleted, created };
}
