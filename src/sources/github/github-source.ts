import { type ArchiveBuilder } from '../archive-builder';
import { type ForgeAddress, toForgeAddress } from '../forges/address';
import { ForgeApi } from '../forges/forge-api';
import { ForgeGit } from '../forges/forge-git';
import { ProjectSettings } from '../forges/forge-project';
import { toRepositoryName } from '../names';
import { ForgePeople } from '../forges/people';
import { repositoryKey } from '../forges/repository-key';
import { Timeline } from '../forges/timeline';
import { type GitClones } from '../git-clones';
import { type SourceMember } from '../model';
import {
  type Source,
  type SourceKind,
  type SourceOptions,
  type SourcePlan,
  type SourceReport,
} from '../source';
import { type HttpSpool } from '../spool/http-spool';
import { openHttpSpool } from '../spool/open-http-spool';
import { type Spool } from '../spool/spool';
import { GITHUB_FORM, githubAddresses } from './address';
import { type Context } from './context';
import { toAccount, toMilestone } from './convert';
import { IssueReader } from './issue-reader';
import { PullRequestReader } from './pull-request-reader';
import { TimelineReader } from './timeline-reader';
import * as wire from './wire';

/** What is not read, whatever the key may see. */
const UNREADABLE = [
  'Releases, of which the git repository has the tags; discussions, project boards, actions and packages',
  'Webhooks, secrets and rules of branches',
  'Verdicts and summaries of reviews, and who was asked for one; comments on lines are imported',
  'Labels and milestones of pull requests, and the colours of labels',
  'Files in Git LFS: the git repository has only what points to them',
] as const;

/** The requests of an hour, with a key and without. */
const WITH_KEY = 5000;
const WITHOUT_KEY = 60;
/** The window of the limit is an hour, of which some minutes may be another clock's. */
const MAX_WAIT_MS = 70 * 60_000;
const HOUR_SECONDS = 3600;
const PROFILES_AT_ONCE = 100;

/** A repository of GitHub, or of a GitHub Enterprise Server (`docs/decisions/0070-sources.md`). */
export class GithubSource implements Source {
  private readonly api: ForgeApi;
  private readonly path: string;

  private constructor(
    private readonly spool: Spool,
    private readonly http: HttpSpool,
    private readonly address: ForgeAddress,
    private readonly projectKey: string,
    private readonly options: SourceOptions,
    private readonly report: SourceReport,
  ) {
    this.path = `/repos/${address.path}`;
    this.api = new ForgeApi(http, spool, report.losses, options.limits?.maxPages);
  }

  /** @throws SourceError if the address is not that of a repository */
  static async open(from: string, options: SourceOptions, report: SourceReport): Promise<GithubSource> {
    const address = toForgeAddress(GITHUB_FORM, from);
    const projectKey = repositoryKey(from, address.path, options);
    if (options.keys.length === 0) {
      options.onNote?.(
        `Without a key, ${address.api.host} answers ${WITHOUT_KEY} requests an hour, and does not say who the people are: use --key or PMS_SOURCE_KEY.`,
      );
    }
    const identity = { source: address.api.href, repository: address.path };
    const { spool, http } = await openHttpSpool(options, identity, {
      base: address.api,
      maxWaitMs: MAX_WAIT_MS,
      headersFor,
      classOf: (request) => (request.startsWith('/search/') ? 'search' : 'core'),
      isLimitText: (body) => /secondary rate limit|abuse detection|rate limit exceeded/i.test(body),
    });
    return new GithubSource(spool, http, address, projectKey, options, report);
  }

  get time(): number {
    return this.spool.begun;
  }

  async plan(): Promise<SourcePlan> {
    const { full_name: fullName, name } = await this.api.get(wire.repository, this.path);
    const count = async (type: string): Promise<number> => {
      const query = { q: `repo:${fullName} is:${type}`, per_page: 1 };
      return (await this.api.get(wire.found, '/search/issues', query)).total_count;
    };
    const [issues, pullRequests] = [await count('issue'), await count('pull-request')];
    // The list of both, comments and changes of each once, and the list of pull requests.
    const requests = 10 + Math.ceil((3 * (issues + pullRequests) + pullRequests) / 100);
    const { keys } = this.options;
    const perHour = keys.length === 0 ? WITHOUT_KEY : WITH_KEY * keys.length;
    return {
      projects: [{ key: this.projectKey, name, issues, wikis: 0, documents: 0 }],
      users: (await this.assignees()).length,
      requests,
      seconds: Math.ceil((requests / perHour) * HOUR_SECONDS),
    };
  }

  async read(builder: ArchiveBuilder): Promise<void> {
    const { api, path, report } = this;
    for (const loss of UNREADABLE) report.losses.note(loss);
    const repository = await api.get(wire.repository, path);
    const { id, name, created_at: created, archived } = repository;
    const people = new ForgePeople(builder, created);
    const settings = new ProjectSettings(builder, {
      id,
      projectKey: this.projectKey,
      name,
      archived,
      created,
    });
    settings.add(await this.members(people));
    const timeline = new Timeline(builder, 'timeline');
    const context: Context = { ...report, api, builder, people, settings, timeline, repository, path };
    await this.settings(settings);
    const issues = new IssueReader(context);
    await issues.numbers();
    const timelines = new TimelineReader(context);
    await timelines.comments();
    await timelines.changes();
    await issues.read();
    const { web } = this.address;
    const git = new ForgeGit(this.options, this.spool, { origin: web.origin, user: 'x-access-token' });
    await this.repository(context, git.clones);
    await new PullRequestReader(context).read();
    if (repository.has_wiki) await git.readWiki(context, repository.full_name);
  }

  close(): Promise<void> {
    return this.http.close();
  }

  /** Returns the people of the project: collaborators, where the key may see them; otherwise those who can be assigned. */
  private async members(people: ForgePeople): Promise<SourceMember[]> {
    const { keys } = this.options;
    // Without a key, this would be a refused key.
    const collaborators = keys.length === 0 ? [] : await this.collaborators();
    const found = collaborators.length > 0 ? collaborators : await this.assignees();
    if (keys.length === 0) this.report.losses.note('Names and mail addresses of people, which need a key');
    const members: SourceMember[] = [];
    for (let start = 0; start < found.length; start += PROFILES_AT_ONCE) {
      const some = found.slice(start, start + PROFILES_AT_ONCE);
      if (keys.length > 0) await this.api.prefetch(some.map(({ login }) => profileOf(login)));
      for (const account of some) {
        const profile =
          keys.length === 0 ? undefined : await this.api.find(wire.profile, profileOf(account.login));
        const isSame = profile?.id === account.id;
        const userId = people.idOf(toAccount(account, isSame ? profile : undefined));
        members.push({ userId, isAdministrator: account.permissions?.admin ?? false, isDirect: true });
      }
    }
    return members;
  }

  /** Only those who may write see the list. */
  private collaborators() {
    return this.accounts(`${this.path}/collaborators`, () => undefined);
  }

  private assignees() {
    return this.accounts(`${this.path}/assignees`);
  }

  private async accounts(path: string, onHidden?: () => void) {
    const accounts = [];
    const list = { path, onHidden, element: wire.collaborator, keyOf: ({ id }: { id: number }) => id };
    for await (const page of this.api.pages(list)) accounts.push(...page);
    return accounts;
  }

  /** Adds the labels and milestones, also those of no issue. */
  private async settings(settings: ProjectSettings): Promise<void> {
    const { api, path } = this;
    const keyOf = ({ id }: { id: number }): number => id;
    for await (const page of api.pages({ path: `${path}/labels`, element: wire.label, keyOf })) {
      for (const { name } of page) settings.categoryOf(name);
    }
    const milestones = {
      ...{ path: `${path}/milestones`, query: { state: 'all' }, element: wire.milestone },
      keyOf,
    };
    for await (const page of api.pages(milestones)) {
      for (const milestone of page) settings.version(toMilestone(milestone));
    }
  }

  private async repository({ builder, people, repository }: Context, clones: GitClones): Promise<void> {
    const { id, name, full_name: fullName, description, created_at: created } = repository;
    const clone = await clones.clone(
      { name: 'repository', path: `/${fullName}.git`, requests: 'refs/pull/' },
      (reason) => this.report.losses.note('Commits of the git repository, which cannot be cloned', reason),
    );
    const createdUserId = people.idOf(repository.owner && toAccount(repository.owner));
    builder.repository(
      {
        ...{ id, projectId: id, name: toRepositoryName(name), description, displayOrder: 0, created },
        ...{ createdUserId, updatedUserId: createdUserId, updated: repository.updated_at },
        // Without commits, nothing has been pushed.
        pushedAt: clone ? (repository.pushed_at ?? null) : null,
        protectsDefaultBranch: true,
        ...(repository.default_branch && { defaultBranch: repository.default_branch }),
      },
      clone,
    );
  }
}

const headersFor = (key: string): Record<string, string> => ({
  accept: 'application/vnd.github+json',
  'user-agent': 'project-management-service',
  'x-github-api-version': '2022-11-28',
  ...(key !== '' && { authorization: `Bearer ${key}` }),
});

const profileOf = (login: string): string => `/users/${encodeURIComponent(login)}`;

export const githubKind: SourceKind = {
  ...githubAddresses,
  open: (from, options, report) => GithubSource.open(from, options, report),
};
