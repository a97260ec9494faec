import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { addressAndLogin, git, tryGit } from '../support/git';
import { type Random } from '../support/random';
import { PROJECT_KEY, REPOSITORY } from '../support/seed';
import { type Ledger } from './ledger';

const TIMEOUT_MS = 10_000;
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const NEW_BRANCH = 0.2;
const NEW_TAG = 0.1;
/** Git's messages when no process listens, when the process is killed, and when it is busy. */
const UNCONNECTED = /Failed to connect|Couldn't connect|Connection refused/;
const CUT_OFF =
  /Empty reply|Recv failure|Send failure|reset by peer|early EOF|unexpected disconnect|hung up unexpectedly|transfer closed|outstanding read data|Broken pipe|broken pipe/i;
const REFUSED = /HTTP 503|error: 503/;
/** Git's message when an abandoned push still runs on the same branch. */
const OVERTAKEN = /cannot lock ref|failed to update ref/;

/**
 * A client with a clone that pushes one commit after another, most of them to one branch. A commit on that branch follows the
 * previous one, whether or not git confirmed it; any other commit goes to a new branch or tag.
 */
export class Pusher {
  private commits = 0;
  private last: string | undefined;

  private constructor(
    private readonly name: string,
    private readonly folder: string,
    private readonly ledger: Ledger,
    private readonly random: Random,
  ) {}

  /** @param folder parent folder of all clones */
  static async make(name: string, folder: string, ledger: Ledger, random: Random): Promise<Pusher> {
    const own = join(folder, name);
    await mkdir(own, { recursive: true });
    await git(own, 'init', '--quiet', '--bare', '.');
    await git(own, 'hash-object', '-w', '-t', 'tree', '/dev/null');
    return new Pusher(name, own, ledger, random);
  }

  /** Pushes one commit. */
  async push(origin: string): Promise<void> {
    const ref = this.nextRef();
    const message = `Commit ${++this.commits} of ${this.name}`;
    const parent = this.last === undefined ? [] : ['-p', this.last];
    const hash = await git(this.folder, 'commit-tree', EMPTY_TREE, ...parent, '-m', message);
    if (ref === this.branch) this.last = hash;
    const push = { ref, hash, isAccepted: false };
    this.ledger.pushes.push(push);
    // After a response that asks for credentials, git takes a killed process for rejected credentials.
    const { address, login } = addressAndLogin(origin, PROJECT_KEY, REPOSITORY);
    const { code, stderr } = await tryGit(
      this.folder,
      [...login, 'push', '--quiet', address, `${hash}:${ref}`],
      TIMEOUT_MS,
    );
    if (code === 0) push.isAccepted = true;
    else if (code === null || CUT_OFF.test(stderr)) this.ledger.pushesCutOff++;
    else if (![UNCONNECTED, REFUSED, OVERTAKEN].some((pattern) => pattern.test(stderr)))
      this.ledger.unexpected.push(`git push ${ref}: ${stderr}`);
  }

  private get branch(): string {
    return `refs/heads/${this.name}`;
  }

  private nextRef(): string {
    const choice = this.random.next();
    if (choice < NEW_BRANCH) return `${this.branch}-${this.commits}`;
    return choice < NEW_BRANCH + NEW_TAG ? `refs/tags/${this.name}-${this.commits}` : this.branch;
  }
}
