import { Backlog, Error as BacklogErrors } from 'backlog-js';
import { RoleType } from '../../src/access/role-type';
import { HEALTHY } from '../support/webhooks';
import { type Person, type ProjectFixture, World } from '../support/world';

const HOST = 'space.example.com';
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const ID = expect.any(Number);

describe('the client backlog-js', () => {
  let world: World;
  let project: ProjectFixture;
  let member: Person;
  let admin: Backlog;

  /** Creates the published client; only its requests are redirected to the test server. */
  const clientWith = (apiKey: string): Backlog =>
    new Backlog({
      host: HOST,
      apiKey,
      fetch: (input, init) =>
        fetch((input as string).replace(`https://${HOST}/api/v2`, world.server.baseUrl), init),
    });

  const upload = async (name: string, content: string): Promise<number> => {
    const form = new FormData();
    form.append('file', new Blob([content]), name);
    return (await admin.postSpaceAttachment(form)).id;
  };

  const administrator = {
    id: 1,
    userId: 'admin',
    name: 'Administrator',
    roleType: RoleType.Administrator,
    lang: 'en',
    mailAddress: 'admin@example.com',
    lastLoginTime: TIMESTAMP,
    vendorAccount: { vendorId: expect.any(String), name: 'Administrator', uniqueId: expect.any(String) },
  };

  const notificationOf = ({ id, name }: Person) => ({
    id: ID,
    alreadyRead: false,
    reason: 2,
    user: expect.objectContaining({ id, name }),
    resourceAlreadyRead: false,
  });

  const notificationEntry = ({ name }: Person) => ({
    field: 'notification',
    newValue: name,
    originalValue: '',
    attachmentInfo: null,
    attributeInfo: null,
    notificationInfo: { type: 'issue.comment' },
  });

  const commentWith = (given: object) => ({
    id: ID,
    changeLog: [],
    createdUser: administrator,
    created: TIMESTAMP,
    updated: TIMESTAMP,
    stars: [],
    notifications: [],
    ...given,
  });

  beforeAll(async () => {
    world = await World.start();
    admin = clientWith(world.server.adminKey);
    project = await world.addProject();
    member = await world.addMember(project);
  });

  afterAll(() => world.stop());

  it('gets the user of its key', async () => {
    expect(await admin.getMyself()).toEqual(administrator);
  });

  it('lists the comments on a pull request by order, count and ids', async () => {
    const { pullRequestThreadId: thread, key, repositoryName } = project;
    const first = await world.addComment(thread, member, 'First');
    const second = await world.addComment(thread, world.admin, 'Second');
    const list = (parameters: Parameters<Backlog['getPullRequestComments']>[3]) =>
      admin.getPullRequestComments(key, repositoryName, 1, parameters);

    expect(await list({ order: 'asc', count: 1 })).toMatchObject([{ id: first, content: 'First' }]);
    expect(await list({ minId: second, maxId: second })).toEqual([
      commentWith({ id: second, content: 'Second' }),
    ]);
  });

  it('updates a pull request comment', async () => {
    const id = await world.addComment(project.pullRequestThreadId, world.admin, 'Before');

    expect(
      await admin.patchPullRequestComments(project.key, project.repositoryName, 1, id, {
        content: 'After & more',
      }),
    ).toEqual(commentWith({ id, content: 'After & more' }));
  });

  it('adds a comment to an issue, with a file and a notification', async () => {
    const attachmentId = await upload('log.txt', 'a line');

    const comment = await admin.postIssueComments(project.issueKey, {
      content: 'Line one\nLine two + äöü 😀',
      notifiedUserId: [member.id],
      attachmentId: [attachmentId],
    });

    expect(comment).toEqual(
      commentWith({
        content: 'Line one\nLine two + äöü 😀',
        changeLog: [
          {
            field: 'attachment',
            newValue: 'log.txt',
            originalValue: '',
            attachmentInfo: { id: attachmentId, name: 'log.txt' },
            attributeInfo: null,
            notificationInfo: null,
          },
          notificationEntry(member),
        ],
        notifications: [notificationOf(member)],
      }),
    );
  });

  it('adds notifications to an issue comment', async () => {
    const id = await world.addComment(project.issueThreadId, world.admin, 'Look');
    const other = await world.addMember(project);

    const comment = await admin.postIssueCommentNotifications(project.issueKey, id, {
      notifiedUserId: [member.id, other.id],
    });

    expect(comment).toEqual(
      commentWith({
        id,
        content: 'Look',
        changeLog: [member, other].map(notificationEntry),
        notifications: [member, other].map(notificationOf),
      }),
    );
  });

  it('adds an issue type', async () => {
    expect(await admin.postIssueType(project.key, { name: 'Incident', color: '#990000' })).toEqual({
      id: ID,
      projectId: project.id,
      name: 'Incident',
      color: '#990000',
      displayOrder: 4,
    });
  });

  it('adds a status', async () => {
    expect(await admin.postProjectStatus(project.id, { name: 'In review', color: '#3b9dbd' })).toEqual({
      id: ID,
      projectId: project.id,
      name: 'In review',
      color: '#3b9dbd',
      displayOrder: expect.any(Number),
    });
  });

  it('uploads files and attaches them to a wiki page', async () => {
    const first = await upload('first.txt', '12345');
    const second = await upload('zweite Datei äöü.txt', '');

    expect(await admin.postWikisAttachments(project.wikiId, [first, second])).toEqual([
      { id: first, name: 'first.txt', size: 5 },
      { id: second, name: 'zweite Datei äöü.txt', size: 0 },
    ]);
  });

  it('adds a webhook', async () => {
    expect(
      await admin.postWebhook(project.key, {
        name: 'Chat',
        description: 'Posts to #dev',
        hookUrl: 'https://chat.example.com/hooks/42?a=1&b=2',
        allEvent: false,
        activityTypeIds: [1, 3],
      }),
    ).toEqual({
      id: ID,
      name: 'Chat',
      description: 'Posts to #dev',
      hookUrl: 'https://chat.example.com/hooks/42?a=1&b=2',
      allEvent: false,
      activityTypeIds: [1, 3],
      createdUser: administrator,
      created: TIMESTAMP,
      updatedUser: administrator,
      updated: TIMESTAMP,
      // A field of the service's own, which the client hands on.
      health: HEALTHY,
    });
  });

  describe('an error of the client backlog-js', () => {
    const { BacklogApiError, BacklogAuthError } = BacklogErrors;

    const errorOf = async (request: Promise<unknown>): Promise<BacklogErrors.BacklogError> =>
      request.then(
        () => Promise.reject(new Error('The request did not fail.')),
        (error: unknown) => error as BacklogErrors.BacklogError,
      );

    it('is a BacklogAuthError for a wrong API key', async () => {
      const error = await errorOf(clientWith('no-such-key').getMyself());

      expect(error).toBeInstanceOf(BacklogAuthError);
      expect(error).toMatchObject({ name: 'BacklogAuthError', status: 401 });
      expect(error.body).toEqual({ errors: [{ message: expect.any(String), code: 11, moreInfo: '' }] });
    });

    it('is a BacklogApiError for an unknown project', async () => {
      const error = await errorOf(admin.postProjectStatus('NOPE', { name: 'Any', color: '#3b9dbd' }));

      expect(error).toBeInstanceOf(BacklogApiError);
      expect(error).toMatchObject({ name: 'BacklogApiError', status: 404 });
      expect(error.body).toEqual({ errors: [{ message: 'No such project.', code: 6, moreInfo: '' }] });
    });

    it('is a BacklogApiError for a missing right', async () => {
      const { key } = await world.addMember(project, RoleType.Viewer);
      const error = await errorOf(
        clientWith(key).postIssueType(project.key, { name: 'Any', color: '#990000' }),
      );

      expect(error).toBeInstanceOf(BacklogApiError);
      expect(error).toMatchObject({ name: 'BacklogApiError', status: 403 });
      expect(error.body).toEqual({ errors: [{ message: expect.any(String), code: 5, moreInfo: '' }] });
    });

    it('names each invalid field in a BacklogApiError', async () => {
      const error = await errorOf(
        admin.postWebhook(project.key, { name: '', hookUrl: 'ftp://x', activityTypeIds: [0] }),
      );

      expect(error).toBeInstanceOf(BacklogApiError);
      expect(error).toMatchObject({ name: 'BacklogApiError', status: 400 });
      expect(error.body?.errors.map(({ code, moreInfo }) => [code, moreInfo])).toEqual([
        [7, 'name'],
        [7, 'hookUrl'],
        [7, 'activityTypeIds'],
      ]);
    });
  });
});
