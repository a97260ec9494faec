import { RoleType } from '../../src/access/role-type';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { AUDIT_ACTIONS, type AuditAction } from '../../src/audit-log/audit-action';
import { AuditLogRetentionService } from '../../src/audit-log/audit-log-retention.service';
import { AuditLogService } from '../../src/audit-log/audit-log.service';
import { type AuditLogEntryDto } from '../../src/audit-log/dto/audit-log-entry.dto';
import { MailSettingRepository } from '../../src/mail/data/mail-setting.repository';
import { call, CASES_ENVIRONMENT, TESTED_OPERATIONS } from '../support/operations';
import { useWorld } from '../support/world';

/** The action of each operation that the audit log records. */
const AUDITED: Readonly<Record<string, AuditAction>> = {
  updateSpaceNotification: 'spaceNotification.update',
  addUser: 'user.add',
  updateUser: 'user.update',
  deleteUser: 'user.delete',
  addApiKey: 'apiKey.add',
  deleteApiKey: 'apiKey.delete',
  deleteSession: 'session.delete',
  deleteSessions: 'session.deleteAll',
  mergeUser: 'user.merge',
  addPasswordLink: 'passwordLink.add',
  addInvitations: 'invitation.add',
  deleteInvitation: 'invitation.delete',
  addIdentityProvider: 'identityProvider.add',
  updateIdentityProvider: 'identityProvider.update',
  deleteIdentityProvider: 'identityProvider.delete',
  deleteIdentity: 'identity.delete',
  deleteSecondFactors: 'secondFactor.delete',
  deletePasskey: 'passkey.delete',
  deleteMailPause: 'mailPause.delete',
  addProject: 'project.add',
  updateProject: 'project.update',
  deleteProject: 'project.delete',
  addProjectUser: 'projectUser.add',
  deleteProjectUser: 'projectUser.delete',
  addProjectAdministrator: 'projectAdministrator.add',
  deleteProjectAdministrator: 'projectAdministrator.delete',
  addTeam: 'team.add',
  updateTeam: 'team.update',
  deleteTeam: 'team.delete',
  addProjectTeam: 'projectTeam.add',
  deleteProjectTeam: 'projectTeam.delete',
  addIssueType: 'issueType.add',
  updateIssueType: 'issueType.update',
  deleteIssueType: 'issueType.delete',
  addStatus: 'status.add',
  updateStatus: 'status.update',
  updateStatusDisplayOrder: 'status.order',
  deleteStatus: 'status.delete',
  addCategory: 'category.add',
  updateCategory: 'category.update',
  deleteCategory: 'category.delete',
  addVersion: 'version.add',
  updateVersion: 'version.update',
  deleteVersion: 'version.delete',
  addCustomField: 'customField.add',
  updateCustomField: 'customField.update',
  deleteCustomField: 'customField.delete',
  addCustomFieldItem: 'customField.update',
  updateCustomFieldItem: 'customField.update',
  deleteCustomFieldItem: 'customField.update',
  addWebhook: 'webhook.add',
  updateWebhook: 'webhook.update',
  enableWebhook: 'webhook.enable',
  rotateWebhookSecret: 'webhook.rotateSecret',
  deleteWebhook: 'webhook.delete',
  deleteSharedFile: 'sharedFile.delete',
  deleteGitRepository: 'gitRepository.delete',
  importIssue: 'issue.import',
  importIssueUpdate: 'issue.importUpdate',
  importIssueAttachmentDeletion: 'issue.importUpdate',
  importWiki: 'wiki.import',
  deleteIssue: 'issue.delete',
  deleteWiki: 'wiki.delete',
  deleteDocument: 'document.delete',
};

/** Actions of `updateUser` with `enabled`, and of the program `pms`. */
const OF_ENABLED: readonly AuditAction[] = ['user.disable', 'user.enable'];

/** Actions of pages. */
const OF_PAGES: readonly AuditAction[] = [
  ...(['session.add', 'secondFactor.add', 'recoveryCodes.renew', 'invitation.accept'] as const),
  ...(['passkey.add', 'passkey.update', 'passkey.refuse', 'identity.add'] as const),
];

/** Actions of work in the background. */
const OF_IMPORTS: readonly AuditAction[] = ['project.import'];

/** Daily work, which activities and change logs record, changes of pictures only, and repeated deliveries. */
const NOT_AUDITED: readonly string[] = [
  // As for a push, activity 12 records who did it.
  'addBranch',
  'deleteBranch',
  'addSharedFile',
  'linkIssueSharedFiles',
  'linkWikiSharedFiles',
  'unlinkIssueSharedFile',
  'unlinkWikiSharedFile',
  'addDocument',
  'addDocumentComment',
  'addDocumentTags',
  'addGitRepository',
  // At its end, each project has an entry.
  ...['addImport', 'resumeImport', 'cancelImport'],
  'addIssue',
  'addIssueComment',
  'addIssueCommentNotifications',
  'addPullRequest',
  'addPullRequestComment',
  'addRecentlyViewedIssue',
  'addRecentlyViewedWiki',
  'addRelatedIssue',
  'addStar',
  'addWatching',
  'addWiki',
  'attachFilesToDocument',
  'attachFilesToWiki',
  'deleteDocumentAttachment',
  'deleteDocumentComment',
  'deleteDocumentTags',
  'deleteIssueAttachment',
  'deleteIssueComment',
  'deleteProjectIcon',
  'deletePullRequestAttachment',
  'deleteSpaceIcon',
  'deleteTeamIcon',
  'deleteUserIcon',
  'deleteRelatedIssue',
  'deleteStar',
  'deleteWatching',
  'deleteWikiAttachment',
  'markNotificationAsRead',
  'markNotificationsAsRead',
  'markWatchingAsRead',
  'markWatchingsAsChecked',
  'redeliverWebhookDeliveries',
  'redeliverWebhookDelivery',
  'sendTestLetter',
  'testWebhook',
  'updateDocument',
  'updateDocumentComment',
  'updateGitRepository',
  'updateIssue',
  'updateIssueComment',
  // Only the user's own letters.
  'updateMailSettings',
  'updateProjectIcon',
  'updatePullRequest',
  'updatePullRequestComment',
  'updateSpaceIcon',
  'updateTeamIcon',
  'updateUserIcon',
  'updateWatching',
  'updateWiki',
  'uploadAttachment',
];

describe('the audit log', () => {
  const tested = useWorld(CASES_ENVIRONMENT);
  const DAY_MS = 24 * 60 * 60_000;

  beforeAll(() => tested.world.stopDeliveries());

  async function list(query = ''): Promise<AuditLogEntryDto[]> {
    const { body } = await tested.world.admin.api.get<AuditLogEntryDto[]>(`/space/auditLog${query}`);
    return body;
  }

  /** Returns the id of the newest entry; 0 for none. */
  const newestId = async (): Promise<number> => (await list('?count=1'))[0]?.id ?? 0;

  /** Returns the entries written by some work, oldest first. */
  async function entriesOf(work: () => Promise<unknown>): Promise<AuditLogEntryDto[]> {
    const minId = (await newestId()) + 1;
    await work();
    return list(`?order=asc&minId=${minId}&count=100`);
  }

  const record = (id: number, created?: number): Promise<void> =>
    tested.world.write(async (manager) => {
      const clock = created === undefined ? undefined : vi.spyOn(Date, 'now').mockReturnValue(created);
      const change = { action: 'project.delete', subject: { id, name: `P${id}` } } as const;
      await tested.world.service(AuditLogService).record(manager, COMMAND_LINE, change);
      clock?.mockRestore();
    });

  const WRITES = TESTED_OPERATIONS.filter(({ method }) => method !== 'GET');

  it('covers every operation that writes, and has an operation for every action', () => {
    const known = [...Object.keys(AUDITED), ...NOT_AUDITED].sort();
    expect(WRITES.map(({ id }) => id).sort()).toEqual(known);
    expect([...new Set(Object.values(AUDITED)), ...OF_ENABLED, ...OF_PAGES, ...OF_IMPORTS].sort()).toEqual(
      [...AUDIT_ACTIONS].sort(),
    );
  });

  // Operations that need git are left out.
  it.each(WRITES.filter(({ withGit }) => !withGit))(
    'has one entry for $id if the operation is recorded',
    async (operation) => {
      const { world } = tested;
      const { admin } = world;
      const project = await world.addProject();
      const names = (await operation.names?.(world, project, admin)) ?? {};
      let body = await operation.body?.(world, admin, project, names);
      if (operation.id === 'updateStatusDisplayOrder') {
        // The case's own body changes nothing, which is not recorded.
        body = await world.admin.api
          .post<{ id: number }>(`/projects/${project.key}/statuses`, { name: 'New', color: '#123456' })
          .then((status) => ({ statusId: [1, status.body.id, 2, 3, 4] }));
      }
      const entries = await entriesOf(async () => {
        const { status } = await call(world, operation, admin.key, names, { body });
        expect(status).toBe(operation.status);
      });
      const action = AUDITED[operation.id];
      if (action === undefined) {
        expect(entries).toEqual([]);
        return;
      }
      const isOfProject = operation.path.startsWith('/projects/') || operation.scope === 'project';
      expect(entries).toEqual([
        expect.objectContaining({
          action,
          actorId: admin.id,
          actorName: 'admin',
          address: '127.0.0.1',
          subjectName: expect.stringMatching(/./),
          ...(isOfProject && { projectId: project.id, projectKey: project.key }),
        }),
      ]);
    },
  );

  it('shows changes, even after the user and project are deleted', async () => {
    const { world } = tested;
    const user = await world.addUser();
    const { body: shown } = await world.admin.api.get<{ userId: string }>(`/users/${user.id}`);
    const entries = await entriesOf(async () => {
      await world.admin.api.patch(`/users/${user.id}`, { roleType: RoleType.Administrator, name: 'Renamed' });
      const project = { name: 'Short-lived', key: 'SHORT_LIVED' };
      await user.api.post('/projects', project);
      await user.api.delete('/projects/SHORT_LIVED');
      await world.whenIdle();
      await world.admin.api.delete(`/users/${user.id}`);
    });
    expect((await world.admin.api.get('/projects/SHORT_LIVED')).status).toBe(404);
    const actor = { actorId: user.id, actorName: shown.userId };
    const project = { subjectName: 'SHORT_LIVED', projectKey: 'SHORT_LIVED' };
    expect(entries).toMatchObject([
      {
        action: 'user.update',
        subjectName: shown.userId,
        changes: [
          { field: 'name', to: 'Renamed' },
          { field: 'roleType', from: '2', to: '1' },
        ],
      },
      { action: 'project.add', ...actor, ...project },
      { action: 'project.delete', ...actor, ...project },
      { action: 'user.delete', actorName: 'admin', subjectId: user.id, subjectName: shown.userId },
    ]);
    const byActor = await list(`?actorId=${user.id}&order=asc`);
    expect(byActor.map(({ action }) => action)).toEqual(['project.add', 'project.delete']);
  });

  it('records disabling and enabling of a user apart from other changes', async () => {
    const { world } = tested;
    const user = await world.addUser();
    const path = `/users/${user.id}`;
    const entries = await entriesOf(async () => {
      await world.admin.api.patch(path, { enabled: true });
      await world.admin.api.patch(path, { enabled: false, name: 'Gone' });
      await world.admin.api.patch(path, { enabled: false });
      await world.admin.api.patch(path, { enabled: true });
    });
    const actor = { actorId: world.admin.id, address: '127.0.0.1', subjectId: user.id };
    expect(entries).toMatchObject([
      { action: 'user.disable', ...actor, changes: [] },
      { action: 'user.update', ...actor, changes: [{ field: 'name', to: 'Gone' }] },
      { action: 'user.enable', ...actor, changes: [] },
    ]);
  });

  it('records that users send letters to their refused address again, but not which letters they choose', async () => {
    const { world } = tested;
    const user = await world.addUser();
    const { body } = await user.api.get<{ mailAddress: string }>('/users/myself');
    const pause = { address: body.mailAddress, reason: 'No such user', now: Date.now() };
    await world.write((manager) => world.service(MailSettingRepository).pause(manager, user.id, pause));
    const path = `/users/${user.id}/mailSettings`;
    const entries = await entriesOf(async () => {
      await user.api.patch(path, { mode: 'digest' });
      await user.api.patch(path, { paused: false });
      await user.api.patch(path, { paused: false });
    });
    expect(entries).toMatchObject([
      {
        action: 'mailPause.delete',
        actorId: user.id,
        subjectId: user.id,
        changes: [{ field: 'pausedAddress', from: body.mailAddress, to: null }],
      },
    ]);
  });

  it('has no entry for requests that were refused or changed nothing', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const path = `/projects/${project.key}`;
    const before = await world.admin.api.get<{ name: string }>(path);
    const entries = await entriesOf(async () => {
      await world.admin.api.patch(`/users/${world.admin.id}`, { roleType: RoleType.Viewer });
      await world.admin.api.patch(`/users/${world.admin.id}`, { enabled: false });
      await world.admin.api.delete(`/users/${world.admin.id}`);
      await world.admin.api.patch(path, { name: before.body.name });
      await world.admin.api.post(`${path}/statuses`, { name: 'open', color: '#123456' });
      await world.admin.api.post('/projects', { name: 'Same key', key: project.key });
      await world.admin.api.delete(`${path}/administrators`, { userId: 999_999 });
    });
    expect(entries).toEqual([]);
  });

  it('has one entry for two simultaneous requests of which one is refused', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const user = await world.addUser();
    const add = () => world.admin.api.post(`/projects/${project.key}/users`, { userId: user.id });
    const entries = await entriesOf(() => Promise.all([add(), add()]));
    expect(entries.map(({ action }) => action)).toEqual(['projectUser.add']);
  });

  it('stores no secret', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const secrets = ['correct horse battery', 'another horse battery', 'T0KEN-of-the-path'];
    const [password, nextPassword, token] = secrets as [string, string, string];
    const entries = await entriesOf(async () => {
      const user = { userId: 'sly', password, name: 'Sly', mailAddress: 'sly@example.com', roleType: 2 };
      const { body: sly } = await world.admin.api.post<{ id: number }>('/users', user);
      await world.admin.api.patch(`/users/${sly.id}`, { password: nextPassword });
      const key = await world.admin.api.post<{ key: string }>(`/users/${sly.id}/apiKeys`, { name: 'Script' });
      secrets.push(key.body.key);
      const hooks = `/projects/${project.key}/webhooks`;
      const hook = { name: 'Chat', description: '', hookUrl: `http://127.0.0.1:9/${token}`, allEvent: true };
      const { body: webhook } = await world.admin.api.post<{ id: number }>(hooks, hook);
      const change = { description: 'changed', hookUrl: `http://127.0.0.1:9/${token}/2` };
      await world.admin.api.patch(`${hooks}/${webhook.id}`, change);
      const rotated = await world.admin.api.post<{ secret: string }>(`${hooks}/${webhook.id}/secret/rotate`);
      secrets.push(rotated.body.secret);
    });
    expect(entries.map(({ action, changes }) => [action, changes.map(({ field }) => field)])).toEqual([
      ['user.add', ['userId', 'name', 'mailAddress', 'roleType']],
      ['user.update', ['password']],
      ['apiKey.add', ['userId']],
      ['webhook.add', ['name', 'description', 'origin', 'allEvent', 'activityTypeIds']],
      ['webhook.update', ['description', 'hookUrl']],
      ['webhook.rotateSecret', []],
    ]);
    const stored = JSON.stringify(await world.dataSource.query('SELECT * FROM audit_log_entry'));
    expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
  });

  it('accepts an actor without user and address, and truncates long names', async () => {
    const { world } = tested;
    const name = `${'a'.repeat(253)}😀😀`;
    const change = { action: 'wiki.delete', subject: { id: 1, name } } as const;
    const [entry] = await entriesOf(() =>
      world.write((manager) => world.service(AuditLogService).record(manager, COMMAND_LINE, change)),
    );
    expect(entry).toMatchObject({
      actorId: null,
      actorName: 'command line',
      address: null,
      subjectName: `${'a'.repeat(253)}…`,
      projectId: null,
      projectKey: null,
    });
  });

  it('is filtered by action and time, and paged by id', async () => {
    const since = Date.parse('2020-01-01T00:00:00Z');
    for (const day of [0, 1, 2, 3]) await record(day + 1, since + day * DAY_MS);
    const range = 'since=2020-01-02T00:00:00Z&until=2020-01-04T00:00:00Z';
    expect((await list(`?${range}`)).map(({ subjectId }) => subjectId)).toEqual([3, 2]);
    expect(await list(`?${range}&action[]=user.add`)).toEqual([]);
    const api = tested.world.admin.api;
    const page = await api.get<AuditLogEntryDto[]>(
      `/space/auditLog?${range}&action[]=project.delete&count=1`,
    );
    expect(page.headers.get('link')).toMatch(new RegExp(`maxId=${page.body[0]!.id - 1}>; rel="next"`));
    expect((await api.get('/space/auditLog?action[]=user.explode')).status).toBe(400);
  });

  it('keeps entries for 400 days by default', async () => {
    const { world } = tested;
    const now = Date.now();
    const [old, kept] = [now - 400 * DAY_MS - 1000, now - 400 * DAY_MS + 60_000];
    // No project of another case has these ids.
    const [oldId, keptId] = [1_000_001, 1_000_002];
    await record(oldId, old);
    await record(keptId, kept);
    await world.service(AuditLogRetentionService).removeOld(now);
    const left = await list('?action[]=project.delete&count=100');
    expect(
      left.filter(({ subjectId }) => [oldId, keptId].includes(subjectId)).map((entry) => entry.subjectId),
    ).toEqual([keptId]);
  });
});
