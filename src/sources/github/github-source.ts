import { GitProgram } from '../../git/git-program';
import { type ArchiveBuilder } from '../archive-builder';
import { type ForgeAddress, type ForgeForm, isForgeAddress, toForgeAddress } from '../forges/address';
import { ForgeApi } from '../forges/forge-api';
import { ProjectSettings } from '../forges/forge-project';
import { GitWiki } from '../forges/git-wiki';
import { toProjectKey, toRepositoryName } from '../forges/names';
import { ForgePeople } from '../forges/people';
import { requireProject } from '../forges/require-project';
import { Timeline } from '../forges/timeline';
import { GitClones } from '../git-clones';
import { type SourceMember } from '../model';
import {
  type Source,
  type SourceKind,
  type SourceOptions,
  type SourcePlan,
  type SourceReport,
} from '../source';
import { HttpSpool } from '../spool/http-spool';
import { Spool } from '../spool/spool';
import { type Context } from './context';
import { toAccount, toMilestone } from './convert';
import { IssueReader } from './issue-reader';
import { PullRequestReader } from './pull-request-reader';
import { TimelineReader } from './timeline-reader';
import * as wire from './wire';

const FORM: ForgeForm = {
  scheme: 'github',
  hosted: { web: 'https://github.com', api: 'https://api.github.com' },
  apiPath: '/api/v3',
  isPath: (path) => /^[A-Za-z0-9][\w-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/.test(path),
  example: 'github:OWNER/REPO',
};

/** What is not read, whatever the key may see. */
const UNREADABLE = [
  'Releases, of which the git repository has the tags; discussions, project boards, actions and packages',
  'Webhooks, secrets and rules of branches',
  'Verdicts and summaries of reviews, and who was asked for one; comments on lines are imported',
  'Labels and milestones of pull requests, and the colours of labels',
] as const;

/** A page of 100 comments with long texts and pieces of diffs has some megabytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** The requests of an hour, with a key and without. */
const WITH_KEY = 5000;
const WITHOUT_KEY = 60;
/** The window of the limit is an hour, of which some minutes may be another clock's. */
const MAX_WAIT_MS = 70 * 60_000;
const HOUR_SECONDS = 3600;
const PROFILES_AT_ONCE = 100;

/** A repository of GitHub, or of a GitHub Enterprise Server (`docs/decisions/0070-sources.md`). */
export class GithubSource implements Source {
  private readonly http: HttpSpool;
  private readonly api: ForgeApi;
  private readonly path: string;

  private constructor(
    private readonly spool: Spool,
    private readonly address: ForgeAddress,
    private readonly options: SourceOptions,
    private readonly report: SourceReport,
  ) {
    const { keys, signal, dispatcher, limits = {}, onRequest, onWait } = options;
    this.path = `/repos/${address.path}`;
    this.http = new HttpSpool(spool, {
      ...{ base: address.api, signal, dispatcher, onRequest, onWait },
      ...limits,
      keys: keys.length === 0 ? [''] : keys,
      maxAnswerBytes: limits.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      maxWaitMs: MAX_WAIT_MS,
      headersFor,
      classOf: (request) => (request.startsWith('/search/') ? 'search' : 'core'),
      isLimitText: (body) => /secondary rate limit|abuse detection|rate limit exceeded/i.test(body),
    });
    this.api = new ForgeApi(this.http, spool, limits.maxPages);
  }

  /** @throws SourceError if the address is not that of a repository */
  static async open(from: string, options: SourceOptions, report: SourceReport): Promise<GithubSource> {
    const address = toForgeAddress(FORM, from);
    requireProject(from, toProjectKey(nameOf(address.path)), options.projects?.map(toProjectKey));
    if (options.keys.length === 0) {
      options.onNote?.(
        `Without a key, ${address.api.host} answers ${WITHOUT_KEY} requests an hour, and does not say who the people are: use --key or PMS_SOURCE_KEY.`,
      );
    }
    const identity = { source: address.api.href, repository: address.path };
    const maxBytes = options.limits?.maxAnswerBytes ?? MAX_ANSWER_BYTES;
    return new GithubSource(await Spool.open(options.spool, identity, maxBytes), address, options, report);
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
      projects: [{ key: toProjectKey(nameOf(this.address.path)), name, issues, wikis: 0, documents: 0 }],
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
    const projectKey = toProjectKey(nameOf(this.address.path));
    const settings = new ProjectSettings(builder, { id, projectKey, name, archived, created });
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
    const clones = this.clones();
    await this.repository(context, clones);
    await new PullRequestReader(context).read();
    if (repository.has_wiki) await this.wiki(context, clones);
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
      if (keys.length > 0) await this.http.prefetch(some.map(({ login }) => profileOf(login)));
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

  private collaborators() {
    return this.accounts(`${this.path}/collaborators`);
  }

  private assignees() {
    return this.accounts(`${this.path}/assignees`);
  }

  private async accounts(path: string) {
    const accounts = [];
    const list = { path, element: wire.collaborator, keyOf: ({ id }: { id: number }) => id };
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

  private async wiki(context: Context, clones: GitClones): Promise<void> {
    const { builder, people, repository, settings, losses, onProgress } = context;
    const clone = await clones.clone(
      { name: 'wiki', path: `/${repository.full_name}.wiki.git` },
      // A wiki without a page has none.
      (reason) => losses.note('The wiki, if it has pages: its git repository cannot be cloned', reason),
    );
    if (!clone) return;
    const { id: projectId, projectKey } = settings.project;
    const git = this.git();
    const wiki = { builder, people, losses, onProgress, git, projectId, projectKey, time: this.time };
    await new GitWiki(wiki, clone.path).read();
  }

  private git(): GitProgram {
    return new GitProgram(this.options.environment);
  }

  private clones(): GitClones {
    const { keys, gitUser, gitPassword, signal } = this.options;
    return new GitClones({
      ...{ git: this.git(), spool: this.spool, origin: this.address.web.origin, signal },
      user: gitUser ?? 'x-access-token',
      password: gitPassword ?? keys[0] ?? '',
    });
  }
}

const headersFor = (key: string): Record<string, string> => ({
  accept: 'application/vnd.github+json',
  'user-agent': 'project-management-service',
  'x-github-api-version': '2022-11-28',
  ...(key !== '' && { authorization: `Bearer ${key}` }),
});

const profileOf = (login: string): string => `/users/${encodeURIComponent(login)}`;

const nameOf = (path: string): string => path.split('/').at(-1) ?? '';

export const githubKind: SourceKind = {
  form: FORM.example,
  accepts: (from) => isForgeAddress(FORM, from),
  projectKeyOf: toProjectKey,
  open: (from, options, report) => GithubSource.open(from, options, report),
};
