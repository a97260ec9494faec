import { type ArchiveBuilder } from '../archive-builder';
import { projectKeys } from '../project-keys';
import {
  type Source,
  type SourceKind,
  type SourceOptions,
  type SourcePlan,
  type SourceReport,
} from '../source';
import { SourceError } from '../source.error';
import { type HttpSpool } from '../spool/http-spool';
import { addressOf } from '../spool/json-api';
import { identityOf, openHttpSpool } from '../spool/open-http-spool';
import { type Spool } from '../spool/spool';
import { redmineAddresses, toBase } from './address';
import { Catalog } from './catalog';
import { type Context, type KeyedProject } from './context';
import { indexIssues, IssueReader } from './issue-reader';
import { type ListedUser, RedminePeople } from './people';
import { type KnownTeam, type OpenProject, ProjectReader, readMemberships } from './project-reader';
import { issuesQuery, RedmineApi } from './redmine-api';
import { IssuePlaces, RedmineTexts } from './texts';
import { WikiReader } from './wiki-reader';
import * as wire from './wire';

/** What no key of a Redmine can read. */
const UNREADABLE = [
  'Passwords, second factors and API keys',
  'The feed of activities',
  'Roles, permissions and workflows, except who may add members to a project',
  'Icons of users, saved queries and reactions',
  'Custom fields of projects, versions, users and time entries',
  'Archived projects, and deleted issues, whose numbers stay free',
] as const;

/** What a Redmine of a usual size answers, for estimates. */
const REQUESTS_PER_SECOND = 20;
const USER_STATUSES = { active: 1, registered: 2, locked: 3 } as const;
/** Active and closed ones. */
const PROJECT_STATUSES = '1|5';
const PROJECT_PARTS = 'trackers,issue_categories,enabled_modules,issue_custom_fields';

/** A Redmine's address and how it is read. */
type RedmineOptions = SourceOptions & { base: URL };

/** What the key may see at all. */
interface Found {
  owner: wire.WireUser;
  projects: KeyedProject[];
  /** The names of all projects, also of those that are not imported. */
  names: ReadonlyMap<number, string>;
}

/** A Redmine of version 3.3 or later, read over its REST API (`docs/decisions/0070-sources.md`). */
export class RedmineSource implements Source {
  private readonly api: RedmineApi;
  private found?: Found;

  private constructor(
    private readonly spool: Spool,
    private readonly http: HttpSpool,
    private readonly options: RedmineOptions,
    private readonly report: SourceReport,
  ) {
    this.api = new RedmineApi(http, spool, options.limits?.maxPages);
  }

  /** @throws SourceError if the address is not that of a Redmine */
  static async open(from: string, options: SourceOptions, report: SourceReport): Promise<RedmineSource> {
    const base = toBase(from);
    const { spool, http } = await openHttpSpool(options, identityOf(base, options), {
      base,
      headersFor: (key) => ({ 'X-Redmine-API-Key': key }),
      classOf: () => 'request',
    });
    return new RedmineSource(spool, http, { ...options, base }, report);
  }

  get time(): number {
    return this.spool.begun;
  }

  async plan(): Promise<SourcePlan> {
    const { projects } = await this.find();
    const users = await this.api.count(wire.users, '/users.json', { status: USER_STATUSES.active });
    const planned = [];
    let requests = 20;
    for (const { id, key, name } of projects) {
      const issues = await this.api.count(wire.issues, '/issues.json', issuesQuery(id));
      const pages = (await this.api.optional(wire.wikiPages, `/projects/${id}/wiki/index.json`)) ?? [];
      planned.push({ key, name, issues, wikis: pages.length, documents: 0 });
      requests += 8 + issues + pages.reduce((sum, { version }) => sum + version, 0);
    }
    return { projects: planned, users, requests, seconds: Math.ceil(requests / REQUESTS_PER_SECOND) };
  }

  async read(builder: ArchiveBuilder): Promise<void> {
    const { api, report } = this;
    const { losses } = report;
    const { owner, projects, names } = await this.find();
    for (const loss of UNREADABLE) losses.note(loss);
    // Users show no earlier time.
    const since = Math.min(this.time, ...projects.map(({ created_on }) => created_on));
    const people = await this.people(builder, owner, since);
    const places = new IssuePlaces(builder.records);
    const { textFormat = 'textile' } = this.options;
    const address = this.options.base.href.replace(/\/$/, '');
    const texts = new RedmineTexts(textFormat, address, places, losses);
    const context: Context = {
      ...report,
      ...{ api, builder, people, texts },
      catalog: await Catalog.read(api, names),
    };
    if (!context.catalog.knowsFields)
      losses.note('Types of custom fields, which only administrators may see: all values are texts');
    const teams = await this.teams(context, projects, people.idOf(asNamed(owner)), since);
    const reader = new ProjectReader(context);
    const open: OpenProject[] = [];
    for (const [place, project] of projects.entries()) open.push(await reader.read(project, place, teams));
    for (const project of projects) await indexIssues(context, project);
    for (const { project, settings, pages } of open) {
      await new IssueReader(context, project, settings, pages).read();
    }
    for (const one of open) await new WikiReader(context, one).read();
  }

  close(): Promise<void> {
    return this.http.close();
  }

  /** Finds the projects and the owner of the key. */
  private async find(): Promise<Found> {
    if (this.found) return this.found;
    const { base, projects: chosen, projectKeys: given = new Map<string, string>() } = this.options;
    const current = await this.api.find(wire.currentUser, '/users/current.json');
    if (!current) {
      throw new SourceError(
        `${base.host} has no REST API for this key: an administrator enables it in Administration, Settings, API.`,
      );
    }
    const query = { include: PROJECT_PARTS, status: PROJECT_STATUSES };
    const all = (await this.api.all(wire.projects, ({ id }) => id, '/projects.json', query)) ?? [];
    const missing = chosen?.find((name) => !all.some(({ identifier }) => identifier === name));
    if (missing !== undefined) {
      throw new SourceError(`There is no project ${missing}, or the key may not see it.`);
    }
    const projects = all.filter(({ identifier }) => !chosen || chosen.includes(identifier));
    projects.sort((one, other) => one.id - other.id);
    const keys = projectKeys(
      projects.map(({ identifier }) => identifier),
      given,
    );
    return (this.found = {
      owner: current.user,
      projects: projects.map((project) => ({ ...project, key: keys.get(project.identifier) ?? '' })),
      names: new Map(all.map(({ id, name }) => [id, name])),
    });
  }

  private async people(builder: ArchiveBuilder, owner: wire.WireUser, since: number): Promise<RedminePeople> {
    const { losses } = this.report;
    const listed: ListedUser[] = [];
    // Not all versions list users of every status at once.
    for (const status of Object.values(USER_STATUSES)) {
      const users = await this.api.all(wire.users, ({ id }) => id, '/users.json', { status });
      for (const user of users ?? []) listed.push({ ...user, isLocked: status === USER_STATUSES.locked });
    }
    const isComplete = listed.length > 0;
    if (!isComplete) {
      losses.note('Login names and mail addresses of users, which only administrators may see');
      listed.push({ ...owner, isLocked: false });
    }
    const groups = (await this.api.find(wire.groups, '/groups.json')) ?? [];
    const names = new Map(groups.map(({ id, name }) => [id, name]));
    return new RedminePeople(builder, listed, isComplete, names, since);
  }

  /** Reads the groups that are members of the projects. */
  private async teams(
    context: Context,
    projects: readonly KeyedProject[],
    ownerId: number,
    since: number,
  ): Promise<KnownTeam[]> {
    const { api, builder, people, losses } = context;
    const groups = new Map<number, string>();
    for (const { id } of projects) {
      for (const { group } of (await readMemberships(context, id)) ?? []) {
        if (group) groups.set(group.id, group.name);
      }
    }
    await api.prefetch([...groups.keys()].map((id) => addressOf(`/groups/${id}.json`, WITH_USERS)));
    const teams: KnownTeam[] = [];
    for (const [id, name] of [...groups].sort(([one], [other]) => one - other)) {
      const found = await api.optional(wire.group, `/groups/${id}.json`, WITH_USERS);
      if (!found) {
        losses.note('Groups that the key may not see', name);
        continue;
      }
      const memberIds = [...new Set(found.group.users.map((user) => people.idOf(user)))];
      const authored = { createdUserId: ownerId, created: since, updatedUserId: ownerId, updated: since };
      builder.team({ id, name, displayOrder: teams.length, memberIds, ...authored });
      teams.push({ id, memberIds });
    }
    return teams;
  }
}

const WITH_USERS = { include: 'users' };

const asNamed = ({ id, firstname, lastname }: wire.WireUser): { id: number; name: string } => ({
  id,
  name: `${firstname} ${lastname}`.trim(),
});

export const redmineKind: SourceKind = {
  ...redmineAddresses,
  open: (from, options, report) => RedmineSource.open(from, options, report),
};
