import { ApiClient } from './api';
import { addSharedFile } from './shared-files';
import { type Person, type ProjectFixture, pullRequestComments, type Started, type World } from './world';

/** Ids and keys of contents, by the names of path parameters. */
export type MarkedValues = Map<string, (string | number)[]>;

/** A project whose texts and file contents all include a word that occurs nowhere else. */
export interface MarkedProject extends ProjectFixture {
  marker: string;
  values: MarkedValues;
}

interface Added {
  id: number | string;
}

/**
 * Adds a project with something of each kind, all of it written by, shown to or noted for a person who administers it.
 * @param marker ASCII letters
 */
async function addMarkedProject(world: World, owner: Person, marker: string): Promise<MarkedProject> {
  const project = await world.addProject();
  await world.join(project, owner, true);
  const values: MarkedValues = new Map();
  const note = (name: string, ...found: (string | number)[]): void =>
    void values.set(name, [...(values.get(name) ?? []), ...found]);
  const path = `/projects/${project.key}`;
  const { api } = owner;
  /** Sends a request that must succeed. */
  const send = async <Body = Added>(method: string, to: string, body?: object, by = api): Promise<Body> => {
    const answer = await by.send<Body>(method, to, body);
    if (answer.status >= 300) throw new Error(`${method} ${to}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const add = async (name: string, to: string, body: object): Promise<number> => {
    const { id } = await send<{ id: number }>('POST', to, body);
    note(name, id);
    return id;
  };

  await send('PATCH', path, { name: marker });
  note('projectIdOrKey', project.id, project.key);
  const categoryId = await add('categoryId', `${path}/categories`, { name: marker });
  const versionId = await add('versionId', `${path}/versions`, { name: marker, description: marker });
  const statusId = await add('statusId', `${path}/statuses`, { name: marker, color: '#ea2c00' });
  const type = { name: marker, color: '#990000', templateSummary: marker, templateDescription: marker };
  const issueTypeId = await add('issueTypeId', `${path}/issueTypes`, type);
  const field = { typeId: 5, name: marker, description: marker, items: [marker] };
  await add('customFieldId', `${path}/customFields`, field);

  const issue = `/issues/${project.issueKey}`;
  await send('PATCH', issue, {
    ...{ summary: marker, description: marker, comment: marker, categoryId: [categoryId] },
    ...{ versionId: [versionId], milestoneId: [versionId], statusId, issueTypeId },
    attachmentId: [await world.addUpload(owner, marker, `${marker}.txt`)],
  });
  note('issueIdOrKey', project.issueId, project.issueKey);
  const commentId = await add('commentId', `${issue}/comments`, { content: marker });
  const [attachment] = await send<Added[]>('GET', `${issue}/attachments`);
  note('attachmentId', attachment!.id);
  const other = { projectId: project.id, summary: marker, issueTypeId, priorityId: 3 };
  const related = await add('targetIssueId', '/issues', other);
  await send('POST', `${issue}/relatedIssues`, { targetIssueId: related });

  await add('wikiId', '/wikis', { projectId: project.id, name: marker, content: marker });
  const [wikiId] = values.get('wikiId')!;
  await send('PATCH', `/wikis/${wikiId}`, { content: `${marker} ${marker}` });
  await send('POST', `/wikis/${wikiId}/attachments`, {
    attachmentId: [await world.addUpload(owner, marker, `${marker}.txt`)],
  });
  const document = { projectId: project.id, title: marker, content: marker };
  const { id: documentId } = await send('POST', '/documents', document);
  note('documentId', documentId);
  await send('POST', `/documents/${documentId}/comments`, { content: marker });

  const fileId = await addSharedFile(owner, project, {
    folder: marker,
    name: `${marker}.txt`,
    content: marker,
  });
  note('sharedFileId', fileId);
  note('path', marker);
  await send('POST', `${issue}/sharedFiles`, { fileId: [fileId] });

  const webhook = {
    name: marker,
    description: marker,
    hookUrl: `https://${marker}.example.com`,
    allEvent: true,
  };
  const webhookId = await add('webhookId', `${path}/webhooks`, webhook);
  await add('deliveryId', `${path}/webhooks/${webhookId}/test`, { activityTypeId: 1 });
  const pulls = pullRequestComments(project);
  await send('PATCH', pulls.replace('/comments', ''), { summary: marker, description: marker });
  await add('commentId', pulls, { content: marker });
  note('repoIdOrName', project.repositoryId, project.repositoryName);
  note('number', project.pullRequestNumber);

  await add('watchingId', '/watchings', { issueIdOrKey: project.issueKey, note: marker });
  await send('POST', '/stars', { commentId });
  const stranger = await world.addMember(project);
  const renamed = { name: `${marker} Stranger`, mailAddress: `${marker}@example.com` };
  await send('PATCH', `/users/${stranger.id}`, renamed, stranger.api);
  note('userId', stranger.id);
  const answer = { content: marker, notifiedUserId: [owner.id] };
  await send('POST', `${issue}/comments`, answer, stranger.api);
  await send('POST', '/stars', { commentId }, stranger.api);
  const team = { name: `${marker} Team`, members: [stranger.id] };
  const { id: teamId } = await send('POST', '/teams', team, world.admin.api);
  await send('POST', `${path}/teams`, { teamId }, world.admin.api);
  note('teamId', teamId);
  await send('POST', '/users/myself/recentlyViewedIssues', { issueIdOrKey: project.issueKey });
  await send('POST', '/users/myself/recentlyViewedWikis', { wikiId });
  await send('GET', path);
  const key = { name: marker, scopes: ['read'], projectIds: [project.id] };
  await add('apiKeyId', `/users/${owner.id}/apiKeys`, key);
  const activities = await send<Added[]>('GET', `${path}/activities?count=100`);
  note('activityId', ...activities.map(({ id }) => id));
  const notifications = await send<Added[]>('GET', '/notifications?count=100');
  note('notificationId', ...notifications.map(({ id }) => id));
  return { ...project, marker, values };
}

/** Returns a client with another key. */
export const withKey = (world: World, key: string): ApiClient => new ApiClient(world.server.baseUrl, key);

/** Two projects of one person, who administers both. */
export interface MarkedProjects {
  readonly owner: Person;
  readonly inside: MarkedProject;
  readonly outside: MarkedProject;
}

/** The words of the project that a limited key reaches, and of the other one. */
export const INSIDE = 'insidemarker';
export const OUTSIDE = 'outsidemarker';

/** Adds both projects before the tests of a suite. */
export function useMarkedProjects(tested: Started): MarkedProjects {
  let projects: MarkedProjects | undefined;
  beforeAll(async () => {
    const { world } = tested;
    await world.stopDeliveries();
    const owner = await world.addUser();
    const inside = await addMarkedProject(world, owner, INSIDE);
    projects = { owner, inside, outside: await addMarkedProject(world, owner, OUTSIDE) };
  });
  const get = (): MarkedProjects => {
    if (!projects) throw new Error('The projects are added with the tests.');
    return projects;
  };
  return {
    get owner() {
      return get().owner;
    },
    get inside() {
      return get().inside;
    },
    get outside() {
      return get().outside;
    },
  };
}
