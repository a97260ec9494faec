import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitClient, PROJECT_KEY } from './client';
import {
  blobs,
  history,
  MAIN,
  makeRepository,
  type RepositorySizes,
  tree,
} from '../support/git-repositories';
import { watchHealth, watchMemory } from './watch';
import { type Figure } from '../support/figures';
import { cloneAddress, folderOfRepository, git } from '../support/git';
import { median } from '../support/load';
import { type DatabaseName, type DatabaseOptions } from '../support/options';
import { percentile } from '../support/percentile';
import { type Server, startServer, startService } from '../support/processes';
import { progress } from '../support/progress';
import { productOf, type Workspace } from '../support/workspace';

/** The extent of the measurements. */
export interface GitSizes extends RepositorySizes {
  rounds: number;
  roundSeconds: number;
  merges: number;
}

const CLIENTS = 4;
const PAGE = 100;
const WARM_UP_MEGABYTES = 10;
const CLONE_TARGET = 0.8;
const HEALTH_TARGET_MS = 200;
const MEMORY_TARGET_MIB = 32;
const MERGE_TARGET_MS = 500;
const PAGE_TARGET_MS = 1000;

/** A server to clone from. */
interface Contender {
  name: 'service' | 'limit';
  address: string;
}

/** Measures the repositories of one service, with the service's own settings. */
export async function measureGit(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  sizes: GitSizes,
): Promise<Figure[]> {
  const url = await workspace.createDatabase(database, serverUrl);
  const label = productOf(url);
  const figures: Figure[] = [];
  const report: Report = (scenario, value, unit, target, isLeast = false) => {
    figures.push({ database: label, scenario, value, unit, target, isLeast });
  };
  const show = (step: string): void => progress(label, step);
  const first = await startService(workspace, url);
  const bench = new GitBench(workspace, first, sizes, report, show);
  await bench.prepare();
  await bench.clones();
  await bench.pullRequests();
  await first.stop();
  // In a new process, whose memory has not grown through other work.
  const second = await startService(workspace, url);
  await new GitBench(workspace, second, sizes, report, show).memory();
  await second.stop();
  return figures;
}

type Report = (scenario: string, value: number, unit: string, target: number, isLeast?: boolean) => void;

class GitBench {
  private readonly client: GitClient;
  private clonesMade = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly service: Server,
    private readonly sizes: GitSizes,
    private readonly report: Report,
    private readonly progress: (step: string) => void,
  ) {
    this.client = new GitClient(service.origin);
  }

  async prepare(): Promise<void> {
    await this.client.addProject();
  }

  /** Measures clones of many commits from the service and from the limit, which serves the same folder. */
  async clones(): Promise<void> {
    const { sizes, workspace } = this;
    this.progress(`pushing ${count(sizes.commits)} commits`);
    const id = await this.push('history', history(sizes), [`${MAIN}:${MAIN}`]);
    const repositories = join(folderOfRepository(workspace, id), '../..');
    const limit = await startServer(workspace, join(__dirname, 'http-backend.js'), {
      REPOSITORIES: repositories,
    });
    const folder = folderOfRepository(workspace, id).slice(repositories.length);
    const contenders: Contender[] = [
      { name: 'service', address: this.addressOf('history') },
      { name: 'limit', address: limit.origin + folder },
    ];

    this.progress('cloning, one at a time');
    const times = { service: [] as number[], limit: [] as number[] };
    // The first round is a warm-up.
    for (let round = 0; round <= sizes.rounds; round++) {
      for (const { name, address } of inTurn(contenders, round)) {
        const time = await this.clone(address);
        if (round > 0) times[name].push(time);
      }
    }
    const ofOne = { service: median(times.service), limit: median(times.limit) };
    this.report(
      `clone of ${count(sizes.commits)} commits, speed against http-backend`,
      ofOne.limit / ofOne.service,
      `× ${Math.round(ofOne.limit)} ms`,
      CLONE_TARGET,
      true,
    );

    this.progress(`cloning, ${CLIENTS} at a time`);
    const rates = { service: [] as number[], limit: [] as number[] };
    const health: number[] = [];
    for (let round = 0; round < Math.ceil(sizes.rounds / 2); round++) {
      for (const { name, address } of inTurn(contenders, round)) {
        const { result, times: answers } = await watchHealth(this.service.origin, () =>
          this.cloneAtOnce(address),
        );
        rates[name].push(result);
        if (name === 'service') health.push(...answers);
      }
    }
    const ofAll = { service: median(rates.service), limit: median(rates.limit) };
    this.report(
      `clones per second, ${CLIENTS} at once, against http-backend`,
      ofAll.service / ofAll.limit,
      `× ${ofAll.limit.toFixed(1)} per s`,
      CLONE_TARGET,
      true,
    );
    this.report('GET /health/live meanwhile, p99', percentile(health, 0.99), 'ms', HEALTH_TARGET_MS);
    await limit.stop();
  }

  /** Measures the memory of the service's process while a large pack goes in and out. */
  async memory(): Promise<void> {
    const { sizes, service } = this;
    await this.push('warm-up', blobs({ megabytes: WARM_UP_MEGABYTES }), [`${MAIN}:${MAIN}`]);
    await this.clone(this.addressOf('warm-up'));
    this.progress(`pushing ${sizes.megabytes} MiB`);
    const pushed = await watchMemory(service.pid, () =>
      this.push('blobs', blobs(sizes), [`${MAIN}:${MAIN}`]),
    );
    this.progress(`cloning ${sizes.megabytes} MiB`);
    const cloned = await watchMemory(service.pid, () => this.clone(this.addressOf('blobs')));
    for (const [what, growth] of [
      ['pushed', pushed],
      ['cloned', cloned],
    ] as const) {
      if (growth === undefined) continue;
      const scenario = `growth of memory while ${sizes.megabytes} MiB are ${what}`;
      this.report(scenario, growth, 'MiB', MEMORY_TARGET_MIB);
    }
  }

  /** Measures merges in a repository of many files, and the pages of a large change. */
  async pullRequests(): Promise<void> {
    const { sizes, client } = this;
    this.progress(`pushing ${count(sizes.files)} files`);
    await this.push('tree', tree(sizes, sizes.merges), [`${MAIN}:${MAIN}`, 'refs/heads/*:refs/heads/*']);
    const large = await client.addPullRequest('tree', 'large');
    const pages: number[] = [];
    for (let offset = 0; offset < sizes.changedFiles; offset += PAGE) {
      const { body, time } = await client.changedFiles('tree', large, offset, PAGE);
      if (body.length !== Math.min(PAGE, sizes.changedFiles - offset))
        throw new Error(`The page from ${offset} has ${body.length} files.`);
      pages.push(time);
    }
    const merges: number[] = [];
    for (let number = 1; number <= sizes.merges; number++) {
      const pullRequest = await client.addPullRequest('tree', `small-${number}`);
      const { body, time } = await client.merge('tree', pullRequest);
      if (!body.mergeCommit) throw new Error('The pull request was not merged.');
      merges.push(time);
    }
    const files = count(sizes.files);
    this.report(
      `merge among ${files} files, the slowest of ${merges.length}`,
      Math.max(...merges),
      'ms',
      MERGE_TARGET_MS,
    );
    this.report(
      `page of ${PAGE} of ${count(sizes.changedFiles)} changed files, the slowest`,
      Math.max(...pages),
      'ms',
      PAGE_TARGET_MS,
    );
  }

  /** Adds a repository, generates its content, and pushes it. */
  private async push(
    name: string,
    content: Iterable<Buffer | string>,
    refs: readonly string[],
  ): Promise<number> {
    const id = await this.client.addRepository(name);
    const folder = await makeRepository(join(this.workspace.folder, 'made', name), content);
    await git(folder, 'push', '--quiet', this.addressOf(name), ...refs);
    return id;
  }

  /** @returns the duration in milliseconds */
  private async clone(address: string): Promise<number> {
    const folder = join(this.workspace.folder, `clone-${++this.clonesMade}`);
    const began = performance.now();
    await git(this.workspace.folder, 'clone', '--quiet', '--bare', address, folder);
    const time = performance.now() - began;
    await rm(folder, { recursive: true, force: true });
    return time;
  }

  /** @returns the number of clones per second */
  private async cloneAtOnce(address: string): Promise<number> {
    const began = performance.now();
    const end = began + this.sizes.roundSeconds * 1000;
    let clones = 0;
    const work = async (): Promise<void> => {
      while (performance.now() < end) {
        await this.clone(address);
        clones++;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    return clones / ((performance.now() - began) / 1000);
  }

  private addressOf(name: string): string {
    return cloneAddress(this.service.origin, PROJECT_KEY, name);
  }
}

const count = (value: number): string => value.toLocaleString('en');

/** Reverses every other round, so that no contender always follows the same one. */
const inTurn = (contenders: readonly Contender[], round: number): readonly Contender[] =>
  round % 2 === 0 ? contenders : contenders.toReversed();
