import { type SourceMember } from '../model';
import { USUAL_SWITCHES } from '../new-project';
import { addressOf } from '../spool/json-api';
import { type Context, type KeyedProject } from './context';
import { ProjectSettings } from './project-settings';
import { PageNames } from './wiki-names';
import * as wire from './wire';

/** A group of the Redmine, by its members. */
export interface KnownTeam {
  id: number;
  memberIds: readonly number[];
}

/** A project whose issues and wiki pages are to be read. */
export interface OpenProject {
  project: KeyedProject;
  settings: ProjectSettings;
  pages: PageNames;
  wikiPages: readonly { title: string; version: number }[];
}

const CLOSED = 5;
/** What lets a role add members. */
const MANAGING = 'manage_members';
/** Modules whose contents are not imported. */
const MODULES: Readonly<Record<string, string>> = {
  boards: 'Forums',
  documents: 'Documents of the module Documents',
  repository: 'Repositories, which git can push',
};

/** Reads a project with its settings and its people. */
export class ProjectReader {
  private readonly managing = new Map<number, boolean>();

  constructor(private readonly context: Context) {}

  /** @param displayOrder its place among the projects */
  async read(project: KeyedProject, displayOrder: number, teams: readonly KnownTeam[]): Promise<OpenProject> {
    const { api, builder } = this.context;
    const path = `/projects/${project.id}`;
    await api.prefetch(
      ['versions.json', 'wiki/index.json', 'files.json'].map((name) => addressOf(`${path}/${name}`)),
    );
    const found = await readMemberships(this.context, project.id);
    if (!found) this.context.losses.note('Members of projects that the key may not see', project.identifier);
    const memberships = found ?? [];
    const groupIds = new Set(memberships.flatMap(({ group }) => group?.id ?? []));
    const modules = new Set(project.enabled_modules.map(({ name }) => name));
    builder.project(
      {
        ...USUAL_SWITCHES,
        ...{ id: project.id, projectKey: project.key, name: project.name, displayOrder },
        ...{ chartEnabled: true, useWiki: modules.has('wiki'), useDocument: true, useFileSharing: true },
        textFormattingRule: 'markdown',
        archived: project.status === CLOSED,
      },
      project.created_on,
      await this.membersOf(memberships),
      teams.filter(({ id }) => groupIds.has(id)),
    );
    const versions = (await api.optional(wire.versions, `${path}/versions.json`)) ?? [];
    const settings = new ProjectSettings(this.context, project, versions);
    await this.noteLosses(path, project, modules);
    const wikiPages = (await api.optional(wire.wikiPages, `${path}/wiki/index.json`)) ?? [];
    return { project, settings, wikiPages, pages: new PageNames(wikiPages) };
  }

  private async membersOf(memberships: readonly wire.WireMembership[]): Promise<SourceMember[]> {
    const members = new Map<number, SourceMember>();
    for (const { user, roles } of memberships) {
      if (!user) continue;
      const areManaging = await Promise.all(roles.map((role) => this.isManaging(role)));
      const userId = this.context.people.idOf(user);
      members.set(userId, {
        userId,
        isAdministrator: areManaging.includes(true),
        isDirect: roles.some(({ inherited }) => !inherited),
      });
    }
    return [...members.values()];
  }

  /** Whether a role administers projects; without its permissions, its name says so. */
  private async isManaging({ id, name }: { id: number; name: string }): Promise<boolean> {
    const known = this.managing.get(id);
    if (known !== undefined) return known;
    const found = await this.context.api.optional(wire.role, `/roles/${id}.json`);
    const isManaging = found ? found.role.permissions.includes(MANAGING) : name === 'Manager';
    this.managing.set(id, isManaging);
    return isManaging;
  }

  private async noteLosses(
    path: string,
    { id, identifier, description, parent, is_public: isPublic }: KeyedProject,
    modules: ReadonlySet<string>,
  ): Promise<void> {
    const { api, losses } = this.context;
    for (const [name, loss] of Object.entries(MODULES)) {
      if (modules.has(name)) losses.note(loss, identifier);
    }
    if (description !== '') losses.note('Descriptions of projects', identifier);
    if (parent) losses.note('Which project another belongs to', identifier);
    if (isPublic) losses.note('Access to public projects for others than their members', identifier);
    const count = (number: number, loss: string): void => {
      if (number > 0) losses.note(loss, `${number} of ${identifier}`);
    };
    const query = { project_id: id, subproject_id: '!*' };
    count(
      await api.count(wire.timeEntries, '/time_entries.json', query),
      'Time entries, except their sum for each issue',
    );
    count(await api.count(wire.news, `${path}/news.json`), 'News');
    count((await api.optional(wire.files, `${path}/files.json`))?.length ?? 0, 'Files of the module Files');
  }
}

/** Returns who belongs to a project; undefined if the key may not see it. */
export async function readMemberships(
  { api, people }: Context,
  projectId: number,
): Promise<wire.WireMembership[] | undefined> {
  const path = `/projects/${projectId}/memberships.json`;
  const memberships = await api.all(wire.memberships, ({ id }) => id, path);
  for (const { group } of memberships ?? []) if (group) people.addGroup(group);
  return memberships;
}
