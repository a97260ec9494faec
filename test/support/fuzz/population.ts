import { RoleType } from '../../../src/access/role-type';
import { ApiClient } from '../api';
import { addSharedFile } from '../shared-files';

/** A server under test, in this process or in another. */
export interface Target {
  baseUrl: string;
  adminKey: string;
  /** Adds a few branches to a git repository, and returns the hash of a commit. Absent without git. */
  fill?: (repositoryId: number) => Promise<string>;
}

/** The branches of the population's repository, if there is git. */
export const FUZZ_BRANCHES = ['main', 'branch-1', 'branch-2'] as const;

/** The items that requests can name, and the callers. */
export interface Population {
  /** Keys by name of the role. */
  keys: Readonly<Record<string, string>>;
  /** Existing values, by name of the parameter or field. */
  values: ReadonlyMap<string, readonly (string | number)[]>;
}

/** An address that refuses connections; a host name would be looked up. */
const HOOK_URL = 'http://127.0.0.1:9/';

/** The settings that the population requires. */
export const FUZZ_ENVIRONMENT = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/** A file in each of these branches. */
export const FUZZ_FILE = 'folder/1';

/** Adds a project with two items of each kind and a user of each role, over HTTP only. Leaves the Administrator of the target alone. */
export async function populate({ baseUrl, adminKey, fill }: Target, round: number): Promise<Population> {
  const admin = new ApiClient(baseUrl, adminKey);
  const values = new Map<string, (string | number)[]>();
  const add = (names: string, ...added: (string | number)[]): void => {
    for (const name of names.split(' ')) values.set(name, [...(values.get(name) ?? []), ...added]);
  };
  const post = async (path: string, body: object): Promise<any> => {
    const answer = await admin.post(path, body);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const list = async (path: string): Promise<any[]> => (await admin.get<any[]>(path)).body;

  const keys: Record<string, string> = {};
  const users: number[] = [];
  for (const role of Object.keys(RoleType).filter((name) => Number.isNaN(Number(name)))) {
    const { id } = await post('/users', {
      userId: `fuzz-${round}-${role}`,
      password: 'a long password',
      name: role,
      mailAddress: 'fuzz@example.com',
      roleType: RoleType[role as keyof typeof RoleType],
    });
    const { id: apiKeyId, key } = await post(`/users/${id}/apiKeys`, { name: 'fuzz' });
    keys[role] = key;
    users.push(id);
    add('apiKeyId', apiKeyId);
  }
  add('userId assigneeId createdUserId notifiedUserId senderId', ...users);

  const teams: number[] = [];
  for (const members of [users.slice(0, 4), users.slice(2)]) {
    teams.push((await post('/teams', { name: 'Fuzz', members })).id);
  }
  add('teamId', ...teams);
  add('members', ...users);

  for (const letter of ['A', 'B']) {
    const key = `FUZZ${letter}${round}`;
    const project = await post('/projects', { name: key, key });
    add('projectId', project.id);
    add('projectIdOrKey', project.id, key);
    for (const userId of users) await post(`/projects/${key}/users`, { userId });
    for (const teamId of teams) await post(`/projects/${key}/teams`, { teamId });
    await post(`/projects/${key}/administrators`, { userId: users[3] });
    const [issueType] = await list(`/projects/${key}/issueTypes`);
    const { id: secondType } = await post(`/projects/${key}/issueTypes`, { name: 'Fuzz', color: '#7ea800' });
    add('issueTypeId substituteIssueTypeId', issueType.id, secondType);
    const { id: statusId } = await post(`/projects/${key}/statuses`, { name: 'Fuzz', color: '#3b9dbd' });
    add('statusId substituteStatusId', 1, statusId);
    add('categoryId', (await post(`/projects/${key}/categories`, { name: 'Fuzz' })).id);
    add('versionId milestoneId', (await post(`/projects/${key}/versions`, { name: 'Fuzz' })).id);
    const customField = `/projects/${key}/customFields`;
    const text = await post(customField, { name: 'Text', typeId: 1 });
    const boxes = await post(customField, { name: 'Boxes', typeId: 7, items: ['A', 'B'], allowInput: true });
    add('customFieldId', text.id, boxes.id);
    add('itemId', ...boxes.items.map((item: { id: number }) => item.id));
    const repositories = `/projects/${key}/git/repositories`;
    const repository = await post(repositories, { name: `fuzz-${letter}` });
    add('repoIdOrName', repository.id, repository.name);
    if (fill) {
      add('hash', await fill(repository.id));
      add('ref base head from', ...FUZZ_BRANCHES);
      add('path', FUZZ_FILE);
    }
    const webhook = await post(`/projects/${key}/webhooks`, {
      name: 'Fuzz',
      hookUrl: HOOK_URL,
      allEvent: true,
    });
    add('webhookId', webhook.id);
    add('deliveryId', (await post(`/projects/${key}/webhooks/${webhook.id}/test`, {})).id);
    for (const number of [1, 2]) {
      const issue = await post('/issues', {
        projectId: project.id,
        summary: `Issue ${number}`,
        issueTypeId: issueType.id,
        priorityId: 3,
        attachmentId: [await upload(admin)],
        [`customField_${text.id}`]: `Text ${number}`,
        [`customField_${boxes.id}`]: [boxes.items[0].id],
        [`customField_${boxes.id}_otherValue`]: 'Other',
      });
      add('issueIdOrKey', issue.id, issue.issueKey);
      add('issueId parentIssueId id', issue.id);
      const comment = await post(`/issues/${issue.id}/comments`, { content: `Comment of <@U${users[0]}>` });
      add('commentId', comment.id);
      const wiki = await post('/wikis', { projectId: project.id, name: `Page ${number}`, content: 'Text' });
      add('wikiId', wiki.id);
      await post(`/wikis/${wiki.id}/attachments`, { attachmentId: [await upload(admin)] });
      const folder = `folder/${number}`;
      const fileId = await addSharedFile({ api: admin }, { key }, { folder });
      await post(`/issues/${issue.id}/sharedFiles`, { fileId: [fileId] });
      await post(`/wikis/${wiki.id}/sharedFiles`, { fileId: [fileId] });
      add('sharedFileId fileId', fileId);
      add('path', folder);
      const document = await post('/documents', {
        projectId: project.id,
        title: `Document ${number}`,
        content: '# Text',
      });
      add('documentId parentId', document.id);
      const documentPath = `/documents/${document.id}`;
      add('documentCommentId', (await post(`${documentPath}/comments`, { content: 'Yes' })).id);
      await post(`${documentPath}/tags`, { tagNames: ['fuzz'] });
      for (const { id } of await post(`${documentPath}/attachments`, {
        attachmentId: [await upload(admin)],
      })) {
        add('attachmentId', id);
      }
      const pullRequests = `${repositories}/${repository.id}/pullRequests`;
      const pull = await post(pullRequests, {
        summary: 'Change',
        description: '',
        base: 'main',
        branch: `branch-${number}`,
        attachmentId: [await upload(admin)],
      });
      add('number', pull.number);
      add('pullRequestId', pull.id);
      const { id: pullRequestCommentId } = await post(`${pullRequests}/${pull.number}/comments`, {
        content: 'Yes',
      });
      add('commentId pullRequestCommentId', pullRequestCommentId);
      await admin.post('/stars', { wikiId: wiki.id });
      const watching = await post('/watchings', { issueIdOrKey: String(issue.id) });
      add('watchingId', watching.id);
      add('targetIssueId', issue.id);
      for (const { id } of await list(`/wikis/${wiki.id}/stars`)) add('starId', id);
      for (const path of [`/issues/${issue.id}`, `/wikis/${wiki.id}`, `${pullRequests}/${pull.number}`]) {
        for (const { id } of await list(`${path}/attachments`)) add('attachmentId', id);
      }
    }
    for (const { id } of await list(`/projects/${key}/activities`)) add('activityId', id);
  }
  for (const key of Object.values(keys)) {
    const { api } = { api: new ApiClient(baseUrl, key) };
    add('notificationId', ...(await api.get<{ id: number }[]>('/notifications')).body.map(({ id }) => id));
    const { status, body } = await api.upload<{ id: number }>('content');
    if (status === 200) add('attachmentId', body.id);
  }
  return { keys, values };
}

const upload = async (api: ApiClient): Promise<number> =>
  (await api.upload<{ id: number }>('content')).body.id;
