import { type ArchiveBuilder } from '../archive-builder';
import { type ForgeAddress, toForgeAddress } from '../forges/address';
import { ForgeApi } from '../forges/forge-api';
import { ForgeGit } from '../forges/forge-git';
import { ProjectSettings } from '../forges/forge-project';
import { toRepositoryName } from '../names';
import { ForgePeople } from '../forges/people';
import { repositoryKey } from '../forges/repository-key';
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
import { GITLAB_FORM, gitlabAddresses } from './address';
import { type Context, userIdOf } from './context';
import { toAccount, toMilestone } from './convert';
import { IssueReader } from './issue-reader';
import { MergeRequestReader } from './merge-request-reader';
import * as wire from './wire';

/** What is not read, whatever the key may see. */
const UNREADABLE = [
  'Releases, of which the git repository has the tags; boards, epics, iterations, pipelines, packages and snippets',
  'Webhooks, variables and rules of branches',
  'Parents of tasks, and designs of issues',
  'Labels, milestones, reviewers and approvals of merge requests, and the colours of labels',
  'Files in Git LFS: the git repository has only what points to them',
] as const;

/** The access level of a Maintainer. */
const MAINTAINER = 40;
/** The limit of GitLab.com for users, for estimates. */
const PER_MINUTE = 2000;
/** A GitLab can refuse requests for ten minutes without saying so, such as those for users after 300 of them. */
const PATIENCE_MS = 12 * 60_000;
const PROFILES_AT_ONCE = 100;

/** A project of GitLab (`docs/decisions/0070-sources.md`). */
export class GitlabSource implements Source {
  private readonly api: ForgeApi;

  private constructor(
    private readonly spool: Spool,
    private readonly http: HttpSpool,
    private readonly address: ForgeAddress,
    private readonly projectKey: string,
    private readonly options: SourceOptions,
    private readonly report: SourceReport,
  ) {
    this.api = new ForgeApi(http, spool, report.losses, options.limits?.maxPages);
  }

  /** @throws SourceError if the address is not that of a project */
  static async open(from: string, options: SourceOptions, report: SourceReport): Promise<GitlabSource> {
    const address = toForgeAddress(GITLAB_FORM, from);
    const projectKey = repositoryKey(from, address.path, options);
    const identity = { source: address.api.href, project: address.path };
    const { spool, http } = await openHttpSpool(options, identity, {
      base: address.api,
      headersFor: (key) => ({ 'user-agent': 'project-management-service', 'private-token': key }),
      patienceMs: PATIENCE_MS,
      classOf: (request) => (request.startsWith('/users/') ? 'users' : 'api'),
    });
    return new GitlabSource(spool, http, address, projectKey, options, report);
  }

  get time(): number {
    return this.spool.begun;
  }

  async plan(): Promise<SourcePlan> {
    const { name, id } = await this.project();
    const { api } = this;
    const path = `/projects/${id}`;
    const statistics = await api.optional(wire.statistics, `${path}/issues_statistics`, { scope: 'all' });
    const issues = statistics?.statistics.counts.all ?? 0;
    const wikis = (await api.optionalList(wire.wikiPage, `${path}/wikis`))?.length ?? 0;
    const users = (await this.members(path)).length;
    // Notes, links and three lists of changes of each issue.
    const requests = 10 + Math.ceil(issues / 100) + 5 * issues + users;
    return {
      projects: [{ key: this.projectKey, name, issues, wikis, documents: 0 }],
      users,
      requests,
      seconds: Math.ceil((requests / PER_MINUTE) * 60),
    };
  }

  async read(builder: ArchiveBuilder): Promise<void> {
    const { api, report } = this;
    for (const loss of UNREADABLE) report.losses.note(loss);
    const project = await this.project();
    const path = `/projects/${project.id}`;
    const { id, name, created_at: created, archived } = project;
    const people = new ForgePeople(builder, created);
    const settings = new ProjectSettings(builder, {
      ...{ id, projectKey: this.projectKey, name, archived, created },
    });
    settings.add(await this.addMembers(people, await this.members(path)));
    const context: Context = { ...report, api, builder, people, settings, project, path };
    await this.settings(context);
    const issues = new IssueReader(context);
    await issues.numbers();
    await issues.read();
    const { web } = this.address;
    const git = new ForgeGit(this.options, this.spool, { origin: web.origin, user: 'oauth2' });
    await this.repository(context, git.clones);
    await new MergeRequestReader(context).read();
    if (project.wiki_enabled) await git.readWiki(context, project.path_with_namespace);
  }

  close(): Promise<void> {
    return this.http.close();
  }

  private project(): Promise<wire.WireProject> {
    return this.api.get(wire.project, `/projects/${encodeURIComponent(this.address.path)}`);
  }

  /** Returns the members, also those of the groups above, each once with the highest access level. */
  private async members(path: string) {
    const { api, report } = this;
    const members = new Map<number, wire.WireMember>();
    const list = {
      path: `${path}/members/all`,
      element: wire.member,
      keyOf: ({ id }: { id: number }) => id,
      // This is a loss of its own.
      onHidden: () => undefined,
    };
    for await (const page of api.pages(list)) {
      for (const member of page) {
        const known = members.get(member.id);
        if (!known || known.access_level < member.access_level) members.set(member.id, member);
      }
    }
    if (members.size === 0) report.losses.note('Members, which the key may not see');
    return [...members.values()];
  }

  /** Adds the members with what they show everybody. */
  private async addMembers(
    people: ForgePeople,
    members: readonly wire.WireMember[],
  ): Promise<SourceMember[]> {
    const added: SourceMember[] = [];
    for (let start = 0; start < members.length; start += PROFILES_AT_ONCE) {
      const some = members.slice(start, start + PROFILES_AT_ONCE);
      await this.api.prefetch(some.map(({ id }) => `/users/${id}`));
      for (const member of some) {
        const profile = await this.api.find(wire.user, `/users/${member.id}`);
        const account = toAccount(profile?.id === member.id ? profile : member);
        const isAdministrator = member.access_level >= MAINTAINER;
        added.push({ userId: people.idOf(account), isAdministrator, isDirect: true });
      }
    }
    return added;
  }

  /** Adds the labels and milestones, also those of the groups above and those of no issue. */
  private async settings({ api, path, settings }: Context): Promise<void> {
    const labels = { path: `${path}/labels`, element: wire.labelLine, keyOf: ({ id }: { id: number }) => id };
    for await (const page of api.pages(labels)) {
      for (const { name } of page) settings.categoryOf(name);
    }
    const milestones = {
      ...{ path: `${path}/milestones`, query: { include_ancestors: true }, element: wire.milestone },
      keyOf: ({ id }: { id: number }) => id,
    };
    for await (const page of api.pages(milestones)) {
      for (const milestone of page) settings.version(toMilestone(milestone));
    }
  }

  private async repository(context: Context, clones: GitClones): Promise<void> {
    const { api, builder, project, losses } = context;
    const { id, path, path_with_namespace: fullPath, description, created_at: created } = project;
    const clone = await clones.clone(
      { name: 'repository', path: `/${fullPath}.git`, requests: 'refs/merge-requests/' },
      (reason) => losses.note('Commits of the git repository, which cannot be cloned', reason),
    );
    const { creator_id: creatorId } = project;
    const creator =
      project.owner ?? (creatorId == null ? null : await api.find(wire.user, `/users/${creatorId}`));
    const createdUserId = userIdOf(context, creator);
    const active = project.last_activity_at ?? created;
    builder.repository(
      {
        ...{ id, projectId: id, name: toRepositoryName(path), description, displayOrder: 0, created },
        ...{ createdUserId, updatedUserId: createdUserId, updated: active },
        // Without commits, nothing has been pushed; the source does not say when this was.
        pushedAt: clone && !project.empty_repo ? active : null,
        protectsDefaultBranch: true,
        ...(project.default_branch && { defaultBranch: project.default_branch }),
      },
      clone,
    );
  }
}

export const gitlabKind: SourceKind = {
  ...gitlabAddresses,
  open: (from, options, report) => GitlabSource.open(from, options, report),
};
