import { open } from 'node:fs/promises';
import { ACTIVITY_TYPES, ActivityType } from '../../activities/activity-type';
import { addressOf } from '../spool/json-api';
import { BacklogApi } from './backlog-api';
import { type Context } from './context';
import { toDay, toSettings } from './convert';
import * as wire from './wire';

/** The largest icon that is read, in bytes. */
const MAX_ICON = 5 * 1024 * 1024;
/** Types of activities that add nothing to an issue but what its own answer shows. */
const CREATIONS: ReadonlySet<number> = new Set([ActivityType.IssueCreated, ActivityType.IssuesBulkCreated]);
/** The kinds under which the spool has the issues that the feed tells of. */
export const FED = { created: '#created', changed: '#changed' } as const;

/** A team of the space, by its members. */
export interface KnownTeam {
  id: number;
  memberIds: readonly number[];
}

/** Reads a project with its settings, its people and its feed. */
export class ProjectReader {
  constructor(private readonly context: Context) {}

  /** @param created the time at which the project is said to be there */
  async read(
    project: wire.WireProject,
    created: number,
    ownId: number,
    teams: readonly KnownTeam[],
  ): Promise<void> {
    const { api } = this.context;
    const path = `/projects/${project.id}`;
    await api.prefetch(
      [
        'users',
        'administrators',
        'teams',
        'issueTypes',
        'statuses',
        'categories',
        'versions',
        'customFields',
        'webhooks',
      ].map((name) => addressOf(`${path}/${name}`)),
    );
    await this.project(path, project, created, teams);
    await this.settings(path, project.id);
    await this.webhooks(path, project);
    await this.icon(path, project.id, created, ownId);
    await this.feed(path, project);
  }

  private async project(
    path: string,
    project: wire.WireProject,
    created: number,
    teams: readonly KnownTeam[],
  ): Promise<void> {
    const { api, builder, people } = this.context;
    const all = (await api.list(wire.user, `${path}/users`)) ?? [];
    const direct = await api.list(wire.user, `${path}/users`, { excludeGroupMembers: true });
    const administrators = (await api.list(wire.user, `${path}/administrators`)) ?? [];
    const directIds = new Set((direct ?? all).map(({ id }) => id));
    const administratorIds = new Set(administrators.map(({ id }) => id));
    const own = (await api.list(wire.team, `${path}/teams`)) ?? [];
    builder.project(
      project,
      created,
      all.map((user) => ({
        userId: people.idOf(user),
        isAdministrator: administratorIds.has(user.id),
        isDirect: directIds.has(user.id),
      })),
      teams.filter(({ id }) => own.some((team) => team.id === id)),
    );
  }

  private async settings(path: string, projectId: number): Promise<void> {
    const { api, builder, timeZone } = this.context;
    for (const type of (await api.list(wire.issueType, `${path}/issueTypes`)) ?? []) {
      builder.issueType(toIssueType(type, projectId));
    }
    for (const status of (await api.list(wire.status, `${path}/statuses`)) ?? []) {
      builder.status({ ...status, projectId });
    }
    for (const category of (await api.list(wire.category, `${path}/categories`)) ?? []) {
      builder.category({ ...category, projectId });
    }
    for (const version of (await api.list(wire.version, `${path}/versions`)) ?? []) {
      builder.version(toVersion(version, projectId, timeZone));
    }
    for (const field of (await api.list(wire.customField, `${path}/customFields`)) ?? []) {
      const { id, typeId, name, description, required, displayOrder, version } = field;
      builder.customField({
        ...{ id, projectId, typeId, name, description, required, displayOrder },
        version: version ?? 1,
        settings: toSettings(field, timeZone),
        issueTypeIds: field.applicableIssueTypes,
        items: field.items,
      });
    }
  }

  private async webhooks(path: string, { id: projectId, projectKey }: wire.WireProject): Promise<void> {
    const { api, builder, people, losses } = this.context;
    const webhooks = await api.list(wire.webhook, `${path}/webhooks`);
    if (!webhooks) losses.note('Webhooks of projects that the key does not administer', projectKey);
    for (const { createdUser, updatedUser, health, ...webhook } of webhooks ?? []) {
      builder.webhook({
        ...webhook,
        projectId,
        isEnabled: health?.enabled ?? true,
        createdUserId: people.idOf(createdUser),
        updatedUserId: people.idOf(updatedUser),
      });
    }
  }

  private async icon(path: string, projectId: number, created: number, createdUserId: number): Promise<void> {
    const { api, builder } = this.context;
    const content = await api.anew.file(`${path}/image`, MAX_ICON);
    const extension = content.path === undefined ? undefined : await pictureType(content.path);
    // Without a picture of its own, a project has a drawing, which is not kept.
    if (extension)
      builder.projectIcon(projectId, { name: `icon.${extension}`, content, createdUserId, created });
  }

  /** Reads the activities, and which issues they tell of. */
  private async feed(path: string, { id: projectId, projectKey }: wire.WireProject): Promise<void> {
    const { api, builder, people, losses, onProgress } = this.context;
    let done = 0;
    for await (const page of api.pagesById(wire.activity, ({ id }) => id, `${path}/activities`)) {
      for (const { createdUser, ...activity } of page) {
        if (!ACTIVITY_TYPES.includes(activity.type)) {
          losses.note(`Activities of the unknown type ${activity.type}`, projectKey);
          continue;
        }
        builder.activity({ ...activity, projectId, createdUserId: people.idOf(createdUser) });
        const kind = CREATIONS.has(activity.type) ? FED.created : FED.changed;
        for (const issueId of issuesOf(activity)) builder.records.add(kind, [issueId], {});
      }
      done += page.length;
      onProgress?.({ what: `activities of ${projectKey}`, done, total: 0 });
    }
  }
}

/** Returns the addresses of the first pages that belong to an issue. */
export const commentsAddress = (issueId: number): string =>
  addressOf(`/issues/${issueId}/comments`, BacklogApi.firstPage());

export const toIssueType = (
  { templateSummary, templateDescription, ...type }: wire.WireIssue['issueType'],
  projectId: number,
) => ({
  ...type,
  projectId,
  templateSummary: templateSummary ?? null,
  templateDescription: templateDescription ?? null,
});

export const toVersion = (
  { startDate, releaseDueDate, ...version }: wire.WireIssue['versions'][number],
  projectId: number,
  timeZone: string,
) => ({
  ...version,
  projectId,
  startDate: toDay(startDate, timeZone),
  releaseDueDate: toDay(releaseDueDate, timeZone),
});

/** Returns the ids of the issues that an activity may be about; more do no harm. */
function issuesOf({ type, content }: { type: number; content: Readonly<Record<string, unknown>> }): number[] {
  const links = Array.isArray(content.link) ? (content.link as unknown[]) : [];
  const ids = [content, ...links].map((one) => (one as { id?: unknown } | null)?.id);
  const isAboutIssues =
    type < (ActivityType.WikiCreated as number) ||
    links.length > 0 ||
    type === (ActivityType.CommentNotificationAdded as number);
  return isAboutIssues ? ids.filter((id): id is number => typeof id === 'number') : [];
}

const START_BYTES = 12;

/** Returns the type of a picture by its first bytes; undefined for a drawing or anything else. */
async function pictureType(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    const start = buffer.toString('latin1');
    if (start.startsWith('\x89PNG')) return 'png';
    if (start.startsWith('GIF8')) return 'gif';
    if (start.startsWith('\xff\xd8')) return 'jpg';
    return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'webp' : undefined;
  } finally {
    await file.close();
  }
}
