import * as z from 'zod';
import { type CustomFieldDto } from '../../custom-fields/dto/custom-field.dto';
import { type UserNotificationDto } from '../../notifications/dto/user-notification.dto';
import { type ProjectDto } from '../../projects/dto/project.dto';
import { type UserDto } from '../../users/dto/user.dto';
import { leanNotification, leanUser } from '../answers/lean';
import { nothingIfUnavailable } from '../answers/tool-error';
import { type Entry, listEntries } from './project-entries';
import { count, defineTool, offset, pageOf, projectKey } from './tool';

const getMyself = defineTool({
  name: 'get_myself',
  title: 'Who you act for',
  description: 'Returns the user that you act for, and what the API key permits.',
  input: z.object({}),
  operations: ['getMyself'],
  run: async (call) => {
    const { scopes, projectIds, expires, agent } = call.caller;
    const user = await call.json<UserDto>('getMyself');
    return {
      ...leanUser(user),
      userId: user.userId,
      agent: agent?.name,
      scopes: scopes ? [...scopes] : 'all that the user may do',
      projectIds: projectIds ? [...projectIds] : 'all projects of the user',
      keyExpires: expires === undefined ? undefined : new Date(expires).toISOString(),
    };
  },
});

const getProjectList = defineTool({
  name: 'get_project_list',
  title: 'List projects',
  description: 'Lists the projects that you can see.',
  input: z.object({ archived: z.boolean().optional(), count: count.default(100), offset }),
  operations: ['listProjects'],
  run: async (call, { archived: isArchived, count: most, offset: start }) => {
    const query = { archived: isArchived, fields: 'id,projectKey,name,archived' };
    const projects = await call.json<ProjectDto[]>('listProjects', { query });
    return {
      ...pageOf(projects.length, start, most),
      items: projects.slice(start, start + most).map(({ id, projectKey: key, name, archived }) => ({
        id,
        projectKey: key,
        name,
        archived: archived || undefined,
      })),
    };
  },
});

/** Maximum number of entries of one kind in an answer about a project. */
const MAX_ENTRIES = 80;

/** Returns the first entries, and says how to read the others. */
function shortList(entries: readonly Entry[], operation: string): object[] {
  const shown: object[] = entries.slice(0, MAX_ENTRIES).map(({ id, name }) => ({ id, name }));
  const left = entries.length - shown.length;
  return left > 0 ? [...shown, { next: `${left} more: call_operation ${operation}` }] : shown;
}

const getProject = defineTool({
  name: 'get_project',
  title: 'Read a project',
  description:
    'Returns the people and settings of a project: issue types, statuses, categories, milestones, custom fields and git repositories, with their ids.',
  input: z.object({ projectKey }),
  operations: [
    'getProject',
    'listProjectUsers',
    'listIssueTypes',
    'listStatuses',
    'listCategories',
    'listVersions',
    'listCustomFields',
  ],
  run: async (call, input) => {
    const path = { projectIdOrKey: input.projectKey };
    const { id, projectKey: key, name } = await call.json<ProjectDto>('getProject', { path });
    const list = async (operation: string): Promise<object[]> =>
      shortList(await listEntries(call, operation, input.projectKey), operation);
    const fields = await call.json<CustomFieldDto[]>('listCustomFields', { path });
    return {
      id,
      projectKey: key,
      name,
      users: await list('listProjectUsers'),
      issueTypes: await list('listIssueTypes'),
      statuses: await list('listStatuses'),
      categories: await list('listCategories'),
      milestones: await list('listVersions'),
      customFields: fields.map((field) => ({ id: field.id, name: field.name, typeId: field.typeId })),
      // Not everybody may see them.
      repositories: await list('listGitRepositories').catch(nothingIfUnavailable),
    };
  },
});

const getNotifications = defineTool({
  name: 'get_notifications',
  title: 'Read notifications',
  description: 'Lists the notifications of the user, newest first.',
  input: z.object({
    maxId: z.int().min(1).optional().describe('Only notifications with this id or a smaller one'),
    count,
  }),
  operations: ['listNotifications', 'countNotifications'],
  run: async (call, query) => {
    const notifications = await call.json<UserNotificationDto[]>('listNotifications', { query });
    const unread = await call.json<{ count: number }>('countNotifications', {
      query: { alreadyRead: false },
    });
    const last = notifications.at(-1);
    return {
      items: notifications.map(leanNotification),
      unread: unread.count,
      next: last && notifications.length === query.count ? `Continue with maxId=${last.id - 1}.` : undefined,
    };
  },
});

export const PROJECT_TOOLS = [getMyself, getProjectList, getProject, getNotifications];
