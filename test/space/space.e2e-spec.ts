import { RoleType } from '../../src/access/role-type';
import { aTimestamp, errorShape } from '../support/shapes';
import { useWorld } from '../support/world';

describe('the space', () => {
  const tested = useWorld({
    ALLOWED_ADDRESSES: '127.0.0.1',
    MAX_ATTACHED_FILES: '7',
    MAX_CATEGORIES: '11',
    MAX_FILE_SIZE: '123456',
    MAX_USERS: '33',
    MAX_VERSIONS: '13',
    SPACE_CAPACITY: '5000000',
  });

  const ownerId = async (): Promise<unknown> =>
    (await tested.world.admin.api.get<{ ownerId: number }>('/space')).body.ownerId;

  it('has exactly the documented fields', async () => {
    const person = await tested.world.addUser(RoleType.GuestViewer);
    const { status, body } = await person.api.get('/space');
    expect(status).toBe(200);
    expect(body).toEqual({
      spaceKey: 'space',
      name: 'Space',
      ownerId: tested.world.admin.id,
      lang: 'en',
      timezone: 'UTC',
      reportSendTime: '08:00:00',
      textFormattingRule: 'markdown',
      created: aTimestamp,
      updated: body.created,
    });
  });

  it('shows everybody the notification that Administrators set', async () => {
    const { world } = tested;
    const person = await world.addUser(RoleType.GuestViewer);
    const { created } = (await person.api.get<{ created: string }>('/space')).body;
    const get = async () => (await person.api.get('/space/notification')).body;
    expect(await get()).toEqual({ content: '', updated: created });
    for (const content of ['Maintenance on Sunday 😀', 'x'.repeat(50_000), '']) {
      const { status, body } = await world.admin.api.put('/space/notification', { content });
      expect([status, body]).toEqual([200, { content, updated: aTimestamp }]);
      expect(await get()).toEqual(body);
    }
    for (const body of [{}, { content: null }, { content: 'x'.repeat(50_001) }]) {
      expect((await world.admin.api.put('/space/notification', body)).body).toEqual(
        errorShape(7, ['content']),
      );
    }
    expect(await get()).toMatchObject({ content: '' });
  });

  it('has a licence with the configured limits', async () => {
    const person = await tested.world.addUser(RoleType.GuestViewer);
    const { created } = (await person.api.get<{ created: string }>('/space')).body;
    expect((await person.api.get('/space/licence')).body).toEqual({
      active: true,
      attachmentLimit: 5_000_000,
      attachmentLimitPerFile: 123_456,
      attachmentNumLimit: 7,
      attribute: true,
      attributeLimit: 100,
      burndown: false,
      commentLimit: 0,
      componentLimit: 11,
      fileSharing: true,
      gantt: false,
      git: true,
      issueLimit: 0,
      licenceTypeId: 0,
      limitDate: null,
      nulabAccount: false,
      parentChildIssue: true,
      postIssueByMail: false,
      projectLimit: 5000,
      pullRequestAttachmentLimitPerFile: 123_456,
      pullRequestAttachmentNumLimit: 7,
      remoteAddress: true,
      remoteAddressLimit: 0,
      startedOn: created,
      storageLimit: 5_000_000,
      subversion: false,
      subversionExternal: false,
      userLimit: 33,
      versionLimit: 13,
      wikiAttachment: true,
      wikiAttachmentLimitPerFile: 123_456,
      wikiAttachmentNumLimit: 7,
    });
  });

  it('passes to another Administrator when its owner loses the role or leaves', async () => {
    const { world } = tested;
    const second = await world.addUser(RoleType.Administrator);
    const third = await world.addUser(RoleType.Administrator);
    const demote = (id: number) => third.api.patch(`/users/${id}`, { roleType: RoleType.NormalUser });
    expect((await demote(world.admin.id)).status).toBe(200);
    expect(await ownerId()).toBe(second.id);
    expect((await third.api.delete(`/users/${second.id}`)).status).toBe(200);
    expect(await ownerId()).toBe(third.id);
  });
});
