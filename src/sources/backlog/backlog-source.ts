import { GitProgram } from '../../git/git-program';
import { type ArchiveBuilder } from '../archive-builder';
import { GitClones } from '../git-clones';
import {
  type Source,
  type SourceKind,
  type SourceOptions,
  type SourcePlan,
  type SourceReport,
} from '../source';
import { SourceError } from '../source.error';
import { type HttpSpool } from '../spool/http-spool';
import { type Query } from '../spool/json-api';
import { identityOf, openHttpSpool } from '../spool/open-http-spool';
import { type Spool } from '../spool/spool';
import { backlogAddresses, toApiBase } from './address';
import { BacklogApi } from './backlog-api';
import { ContentReader } from './content-reader';
import { type Context } from './context';
import { toTimeZone } from './convert';
import { IssueReader } from './issue-reader';
import { People } from './people';
import { type KnownTeam, ProjectReader } from './project-reader';
import { RepositoryReader } from './repository-reader';
import * as wire from './wire';

/** What no key of a space can read. */
const UNREADABLE = [
  'Passwords, second factors and API keys, and the secrets of webhooks',
  'Icons of users and teams',
  'Watchings of others than the owner of the key, and the state of their notifications',
  'Drafts, and what users viewed recently',
  'Deleted issues, whose numbers stay free',
  'Which commits belong to an issue, except in its change log',
] as const;

/** The family's limits for paid plans, for estimates. */
const READS_PER_MINUTE = 600;
const SEARCHES_PER_MINUTE = 150;
const ADMINISTRATOR = 1;
const SEARCHES = /^\/(issues|wikis)(\/count)?(\?|$)/;
const ICONS = /\/(image|icon)$/;

/** A space's address and how it is read. */
type BacklogOptions = SourceOptions & { base: URL };

/** Another space of the family: a hosted one, or another instance of this service (`docs/decisions/0070-sources.md`). */
export class BacklogSource implements Source {
  private readonly api: BacklogApi;
  private found?: { projects: wire.WireProject[]; owner: wire.WireUser };

  private constructor(
    private readonly spool: Spool,
    private readonly http: HttpSpool,
    private readonly options: BacklogOptions,
    private readonly report: SourceReport,
  ) {
    this.api = new BacklogApi(http, spool, options.limits?.maxPages);
  }

  /** @throws SourceError if the address is not that of a space */
  static async open(from: string, options: SourceOptions, report: SourceReport): Promise<BacklogSource> {
    const base = toApiBase(from);
    const { spool, http } = await openHttpSpool(options, identityOf(base, options), {
      base,
      headersFor: (key) => ({ 'Backlog-API-Key': key }),
      classOf,
    });
    return new BacklogSource(spool, http, { ...options, base }, report);
  }

  get time(): number {
    return this.spool.begun;
  }

  async plan(): Promise<SourcePlan> {
    const { projects } = await this.find();
    const users = (await this.api.list(wire.user, '/users')) ?? [];
    const planned = [];
    let requests = 20;
    let searches = 0;
    for (const { id, projectKey, name, useDocument } of projects) {
      const { count: issues } = await this.api.get(wire.count, '/issues/count', { 'projectId[]': id });
      const wikis = (await this.api.find(wire.count, '/wikis/count', { projectIdOrKey: id }))?.count ?? 0;
      const documents = useDocument
        ? ((await this.api.find(wire.count, '/documents/count', { projectIdOrKey: id }))?.count ?? 0)
        : 0;
      planned.push({ key: projectKey, name, issues, wikis, documents });
      // Comments and relations of each issue; pages with their histories; documents with their comments.
      requests += 20 + 2 * issues + 2 * wikis + 2 * documents;
      searches += Math.ceil(issues / 100) + 3;
    }
    const minutes =
      Math.max(requests / READS_PER_MINUTE, searches / SEARCHES_PER_MINUTE) / this.options.keys.length;
    return {
      projects: planned,
      users: users.length,
      requests: requests + searches,
      seconds: Math.ceil(minutes * 60),
    };
  }

  async read(builder: ArchiveBuilder): Promise<void> {
    const { api, report } = this;
    const { projects, owner } = await this.find();
    for (const loss of UNREADABLE) report.losses.note(loss);
    const { timezone, created = null } = await api.get(wire.space, '/space');
    const since = created ?? 0;
    const listed = await api.list(wire.user, '/users');
    if (!listed) report.losses.note('Users who are in no project and have written nothing');
    const context: Context = {
      ...report,
      ...{ api, builder, projects },
      people: new People(builder, listed, since),
      timeZone: toTimeZone(timezone),
    };
    context.people.idOf(owner);
    const teams = await this.teams(context, since);
    for (const project of projects) await new ProjectReader(context).read(project, since, owner.id, teams);
    const content = new ContentReader(context);
    for (const project of projects) await content.sharedFiles(project);
    const issues = new IssueReader(context);
    for (const project of projects) await issues.read(project);
    await this.watchings(context, owner);
    for (const project of projects) await content.wikis(project);
    for (const project of projects) await content.documents(project);
    const repositories = new RepositoryReader(context, this.clones(owner));
    for (const project of projects) await repositories.read(project);
  }

  close(): Promise<void> {
    return this.http.close();
  }

  /** Finds the projects and the owner of the key. */
  private async find(): Promise<{ projects: wire.WireProject[]; owner: wire.WireUser }> {
    if (this.found) return this.found;
    const owner = await this.api.get(wire.user, '/users/myself');
    const { projects: keys } = this.options;
    let projects: wire.WireProject[] = [];
    if (keys) {
      for (const key of keys) {
        const project = await this.api.find(wire.project, `/projects/${encodeURIComponent(key)}`);
        if (!project) throw new SourceError(`There is no project ${key}, or the key may not see it.`);
        projects.push(project);
      }
    } else {
      const query: Query = owner.roleType === ADMINISTRATOR ? { all: true } : {};
      projects = (await this.api.list(wire.project, '/projects', query)) ?? [];
    }
    projects.sort((one, other) => one.id - other.id);
    return (this.found = { projects, owner });
  }

  /** Reads the teams: those of the chosen projects, or all. */
  private async teams(
    { api, builder, people, projects, losses }: Context,
    since: number,
  ): Promise<KnownTeam[]> {
    const chosen = new Set<number>();
    for (const { id } of this.options.projects ? projects : []) {
      for (const team of (await api.list(wire.team, `/projects/${id}/teams`)) ?? []) chosen.add(team.id);
    }
    const teams: KnownTeam[] = [];
    let isVisible = false;
    for await (const page of api.pagesByOffset(wire.team, ({ id }) => id, '/teams')) {
      isVisible = true;
      for (const { id, name, members, displayOrder, ...team } of page) {
        if (this.options.projects && !chosen.has(id)) continue;
        const memberIds = members.map((member) => people.idOf(member));
        const created = team.created ?? since;
        builder.team({
          ...{ id, name, displayOrder, memberIds, created },
          createdUserId: people.idOf(team.createdUser),
          updatedUserId: people.idOf(team.updatedUser ?? team.createdUser),
          updated: team.updated ?? created,
        });
        teams.push({ id, memberIds });
      }
    }
    if (!isVisible) losses.note('Teams, which only administrators may see');
    return teams;
  }

  private async watchings({ api, builder, projects }: Context, { id: userId }: wire.WireUser): Promise<void> {
    const chosen = new Set(projects.map(({ id }) => id));
    const path = `/users/${userId}/watchings`;
    for await (const page of api.pagesByOffset(wire.watching, ({ id }) => id, path, {
      sort: 'created',
      order: 'asc',
    })) {
      for (const { issue, ...watching } of page) {
        if (issue && chosen.has(issue.projectId))
          builder.watching({ ...watching, userId, issueId: issue.id });
      }
    }
  }

  private clones(owner: wire.WireUser): GitClones {
    const { environment, base, keys, gitUser, gitPassword, signal, guard } = this.options;
    return new GitClones({
      ...{ git: new GitProgram(environment), spool: this.spool, origin: base.origin, signal, guard },
      user: gitUser ?? owner.userId ?? '',
      password: gitPassword ?? keys[0] ?? '',
    });
  }
}

/** Returns the class in which the family counts a request. */
export function classOf(address: string): string {
  if (SEARCHES.test(address)) return 'search';
  return ICONS.test(address) ? 'icon' : 'read';
}

export const backlogKind: SourceKind = {
  ...backlogAddresses,
  open: (from, options, report) => BacklogSource.open(from, options, report),
};
