import { IssuesService } from '../../src/issues/issues.service';
import { PullRequestReaderService } from '../../src/pull-requests/pull-request-reader.service';
import { PullRequestsService } from '../../src/pull-requests/pull-requests.service';
import { StarsService } from '../../src/stars/stars.service';
import { RoleType } from '../../src/access/role-type';
import { UsersService } from '../../src/users/users.service';
import {
  NEW_PULL_REQUEST,
  pullRequestContent,
  pullRequests,
  pullRequestShape,
} from '../support/pull-requests';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { activityUserShape, anId, aTimestamp, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface StoredNotification {
  userId: number;
  reason: number;
}

describe('/pullRequests', () => {
  const tested = useWorld({ PUBLIC_URL: 'https://pm.example.com' });
  let project: ProjectFixture;
  let otherProject: ProjectFixture;
  let author: Person;
  let colleague: Person;
  let path: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    otherProject = await world.addProject();
    author = await world.addMember(project);
    colleague = await world.addMember(project, RoleType.Viewer);
    path = pullRequests(project);
  });

  const add = async (fields: object = {}, person = author): Promise<{ id: number; number: number }> => {
    const { status, body } = await person.api.post(path, { ...NEW_PULL_REQUEST, ...fields });
    expect(status).toBe(200);
    return body;
  };

  const addIssue = async ({ id, issueTypeId, statusId } = project): Promise<number> => {
    const { world } = tested;
    const issue = await world.write((manager) =>
      world.service(IssuesService).add(manager, {
        projectId: id,
        issueTypeId,
        statusId,
        summary: 'Another issue',
        description: '',
        createdUserId: world.admin.id,
      }),
    );
    return issue.id;
  };

  const notificationsOf = (id: number): Promise<StoredNotification[]> =>
    tested.world.dataSource.query(
      `SELECT n.user_id AS userId, n.reason AS reason FROM notification n JOIN pull_request q ON q.thread_id = n.thread_id
        WHERE q.id = ? ORDER BY n.id`,
      [id],
    );

  const threadOf = async (id: number): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ threadId: number }]>(
      'SELECT thread_id AS threadId FROM pull_request WHERE id = ?',
      [id],
    );
    return row.threadId;
  };

  describe('POST /pullRequests', () => {
    it('answers 200 with the pull request and writes activity 18', async () => {
      const { status, body } = await author.api.post(path, NEW_PULL_REQUEST);
      expect(status).toBe(200);
      expect(body).toEqual(pullRequestShape(project, author, { number: 2 }));
      expect((await author.api.get(`${path}/2`)).body).toEqual(body);
      expect(await notificationsOf(body.id)).toEqual([]);
      expect(await activitiesOf(tested.world, project)).toEqual([
        {
          type: 18,
          createdUserId: author.id,
          content: pullRequestContent(project, { id: body.id, number: 2 }),
        },
      ]);
    });

    it('accepts an issue, an assignee, users to notify and files', async () => {
      const { admin } = tested.world;
      const attachmentId = await tested.world.addUpload(author, 'one', 'one.txt');
      const { status, body } = await author.api.post(path, {
        ...NEW_PULL_REQUEST,
        issueId: project.issueId,
        assigneeId: colleague.id,
        notifiedUserId: [colleague.id, admin.id, admin.id],
        attachmentId: [attachmentId],
      });
      expect(status).toBe(200);
      const { body: issue } = await author.api.get(`/issues/${project.issueKey}`);
      expect(body).toEqual(
        pullRequestShape(project, author, {
          number: 2,
          assignee: userShape(colleague),
          issue,
          attachments: [
            {
              id: attachmentId,
              name: 'one.txt',
              size: 3,
              createdUser: userShape(author),
              created: aTimestamp,
            },
          ],
        }),
      );
      // One notification per user; being assigned takes precedence.
      expect(await notificationsOf(body.id)).toEqual([
        { userId: colleague.id, reason: 10 },
        { userId: admin.id, reason: 12 },
      ]);
      const [activity] = await activitiesOf(tested.world, project);
      expect(activity?.content).toEqual(
        pullRequestContent(project, {
          id: body.id,
          number: 2,
          issue: { id: project.issueId, key_id: 1, summary: 'An issue', description: 'Its description' },
          assignee: activityUserShape(colleague),
        }),
      );
    });

    it('notifies users who assign themselves only when they are named', async () => {
      const silent = await add({ assigneeId: author.id });
      const told = await add({ assigneeId: author.id, notifiedUserId: [author.id] });
      expect(await notificationsOf(silent.id)).toEqual([]);
      expect(await notificationsOf(told.id)).toEqual([{ userId: author.id, reason: 12 }]);
    });

    it('accepts null as the issue and the assignee, and an empty description', async () => {
      const { body } = await author.api.post(path, {
        ...NEW_PULL_REQUEST,
        description: '',
        issueId: null,
        assigneeId: null,
      });
      expect(body).toEqual(pullRequestShape(project, author, { number: 2, description: '' }));
    });

    it('accepts a form', async () => {
      const form = new URLSearchParams({ ...NEW_PULL_REQUEST, issueId: String(project.issueId) });
      form.append('notifiedUserId[]', String(colleague.id));
      const { status, body } = await author.api.post(path, form);
      expect(status).toBe(200);
      expect(body.issue.id).toBe(project.issueId);
      expect(await notificationsOf(body.id)).toEqual([{ userId: colleague.id, reason: 12 }]);
    });

    it('numbers pull requests per repository', async () => {
      const { world } = tested;
      const repositories = `/projects/${project.key}/git/repositories`;
      await world.admin.api.post(repositories, { name: 'second' });
      expect((await add()).number).toBe(2);
      const { body } = await author.api.post(`${repositories}/second/pullRequests`, NEW_PULL_REQUEST);
      expect(body.number).toBe(1);
      expect((await add()).number).toBe(3);
    });

    it('numbers simultaneous pull requests without gaps, also beside refused ones', async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          author.api.post<{ number: number }>(path, {
            ...NEW_PULL_REQUEST,
            ...(index % 3 === 0 && { attachmentId: [999_999] }),
          }),
        ),
      );
      const added = answers.filter(({ status }) => status === 200);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
      expect(added.map(({ body }) => body.number).sort((one, other) => one - other)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 2),
      );
    });

    it.each(['summary', 'description', 'base', 'branch'])('refuses a body without %s', async (field) => {
      const body = Object.fromEntries(Object.entries(NEW_PULL_REQUEST).filter(([name]) => name !== field));
      await expectRefused(tested.world, () => author.api.post(path, body), [field]);
    });

    it.each([
      ['an empty summary', 'summary', { summary: ' ' }],
      ['a summary of 256 characters', 'summary', { summary: 'x'.repeat(256) }],
      ['an empty base', 'base', { base: '' }],
      ['an empty branch', 'branch', { branch: '' }],
      ['the same branch as base and branch', 'branch', { base: ' main', branch: 'main ' }],
      ['a status', 'statusId', { statusId: 3 }],
      ['an unknown issue', 'issueId', { issueId: 999_999 }],
      ['an unknown assignee', 'assigneeId', { assigneeId: 999_999 }],
      ['an unknown user to notify', 'notifiedUserId', { notifiedUserId: [999_999] }],
      ['an unknown upload', 'attachmentId', { attachmentId: [999_999] }],
    ])('refuses %s', async (_what, field, fields) => {
      const send = () => author.api.post(path, { ...NEW_PULL_REQUEST, ...fields });
      await expectRefused(tested.world, send, [field]);
    });

    it("refuses issues and users of another project, and another user's upload", async () => {
      const { world } = tested;
      const stranger = await world.addMember(otherProject);
      await world.join(otherProject, author);
      const uses: [string, object][] = [
        ['issueId', { issueId: otherProject.issueId }],
        ['assigneeId', { assigneeId: stranger.id }],
        ['notifiedUserId', { notifiedUserId: [stranger.id] }],
        ['attachmentId', { attachmentId: [await world.addUpload(world.admin)] }],
      ];
      for (const [field, fields] of uses) {
        await expectRefused(world, () => author.api.post(path, { ...NEW_PULL_REQUEST, ...fields }), [field]);
      }
    });

    it('accepts an Administrator without a membership as assignee', async () => {
      const { admin } = tested.world;
      const { id } = await add({ assigneeId: admin.id });
      expect(await notificationsOf(id)).toEqual([{ userId: admin.id, reason: 10 }]);
    });

    it('leaves no link to an issue that is deleted at the same time', async () => {
      const { world } = tested;
      for (let round = 0; round < 5; round++) {
        const issueId = await addIssue();
        const [added, removed] = await Promise.all([
          author.api.post(path, { ...NEW_PULL_REQUEST, issueId }),
          world.admin.api.delete(`/issues/${issueId}`),
        ]);
        expect(removed.status).toBe(200);
        expect([200, 400]).toContain(added.status);
        if (added.status === 200) {
          expect((await author.api.get(`${path}/${added.body.number}`)).body.issue).toBeNull();
        }
      }
    });
  });

  describe('GET /pullRequests', () => {
    it('lists the pull requests newest first, each with all of its fields', async () => {
      const { world } = tested;
      const second = await add({ issueId: project.issueId, assigneeId: colleague.id });
      const shown = { url: 'https://example.com/', title: 'A pull request' };
      const star = { ...shown, presenterId: colleague.id, authorId: author.id, projectId: project.id };
      const threadId = await threadOf(second.id);
      await world.write((manager) => world.service(StarsService).add(manager, { threadId }, star));
      const third = await add({ attachmentId: [await world.addUpload(author)] });
      const { status, body, headers } = await author.api.get(path);
      expect(status).toBe(200);
      expect(headers.get('link')).toBeNull();
      expect(body).toEqual([
        (await author.api.get(`${path}/${third.number}`)).body,
        (await author.api.get(`${path}/${second.number}`)).body,
        pullRequestShape(project, world.admin, {
          number: 1,
          summary: 'A pull request',
          description: '',
          branch: 'feature',
        }),
      ]);
      expect(body[1]).toMatchObject({
        stars: [
          {
            id: anId,
            comment: '',
            url: 'https://example.com/',
            title: 'A pull request',
            presenter: { id: colleague.id },
            created: aTimestamp,
          },
        ],
        issue: { issueKey: project.issueKey },
      });
    });

    it('pages by count and offset, and links the next page', async () => {
      for (let count = 0; count < 4; count++) await add();
      const numbersAt = async (query: string): Promise<number[]> =>
        (await author.api.get<{ number: number }[]>(`${path}?${query}`)).body.map(({ number }) => number);
      expect(await numbersAt('count=2')).toEqual([5, 4]);
      expect(await numbersAt('count=2&offset=2')).toEqual([3, 2]);
      expect(await numbersAt('offset=4')).toEqual([1]);
      expect(await numbersAt('offset=5')).toEqual([]);
      expect(await numbersAt('count=2&order=asc')).toEqual([1, 2]);
      const { headers } = await author.api.get(`${path}?count=2&statusId%5B%5D=1`);
      const [, next] = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
      const { search } = new URL(next as string);
      expect(await numbersAt(search.slice(1))).toEqual([3, 2]);
    });

    describe('with filters', () => {
      let other: Person;

      /** Returns the numbers that a query finds, and checks the count too. */
      async function find(query: string): Promise<number[]> {
        const { status, body } = await author.api.get<{ number: number }[]>(`${path}?${query}`);
        expect(status).toBe(200);
        const { body: counted } = await author.api.get(`${path}/count?${query}`);
        expect(counted).toEqual({ count: body.length });
        return body.map(({ number }) => number);
      }

      beforeEach(async () => {
        other = await tested.world.addMember(project);
        await add({ assigneeId: colleague.id });
        await add({ assigneeId: author.id, issueId: project.issueId });
        await add({ issueId: await addIssue() }, other);
        await author.api.patch(`${path}/2`, { statusId: 2 });
        await author.api.patch(`${path}/3`, { statusId: 3 });
      });

      it('finds pull requests with any of the given values', async () => {
        expect(await find('')).toEqual([4, 3, 2, 1]);
        expect(await find('statusId[]=1')).toEqual([4, 1]);
        expect(await find('statusId[]=2&statusId[]=3')).toEqual([3, 2]);
        expect(await find(`assigneeId[]=${colleague.id}`)).toEqual([2]);
        expect(await find(`assigneeId[]=${colleague.id}&assigneeId[]=${author.id}`)).toEqual([3, 2]);
        expect(await find(`issueId[]=${project.issueId}`)).toEqual([3]);
        expect(await find(`createdUserId[]=${author.id}`)).toEqual([3, 2]);
        expect(await find(`createdUserId[]=${other.id}&createdUserId[]=999999`)).toEqual([4]);
      });

      it('finds pull requests that match all filters', async () => {
        expect(await find(`createdUserId[]=${author.id}&statusId[]=3`)).toEqual([3]);
        expect(await find(`createdUserId[]=${other.id}&statusId[]=3`)).toEqual([]);
      });

      it('ignores an empty list', async () => {
        expect(await find('statusId[]=')).toEqual([4, 3, 2, 1]);
      });

      it.each([
        ['statusId[]=4', 'statusId'],
        ['statusId[]=x', 'statusId'],
        ['assigneeId[]=0', 'assigneeId'],
        ['issueId[]=-1', 'issueId'],
        ['createdUserId[]=1.5', 'createdUserId'],
      ])('refuses ?%s, also on GET /pullRequests/count', async (query, field) => {
        await expectRefused(tested.world, () => author.api.get(`${path}?${query}`), [field]);
        await expectRefused(tested.world, () => author.api.get(`${path}/count?${query}`), [field]);
      });
    });

    it('lists only the pull requests of the repository', async () => {
      await add();
      const { body } = await tested.world.admin.api.get(pullRequests(otherProject));
      expect(body).toHaveLength(1);
    });

    it('counts all pull requests, whatever count and offset', async () => {
      for (let count = 0; count < 3; count++) await add();
      expect((await author.api.get(`${path}/count`)).body).toEqual({ count: 4 });
      expect((await author.api.get(`${path}/count?count=1&offset=3`)).body).toEqual({ count: 4 });
    });
  });

  it('accepts the ids of the project and the repository', async () => {
    const { body } = await author.api.get(`${path}/1`);
    const byIds = `/projects/${project.id}/git/repositories/${project.repositoryId}/pullRequests/1`;
    expect((await author.api.get(byIds)).body).toEqual(body);
  });

  it('answers 404 for unknown and invalid numbers', async () => {
    for (const number of ['2', '0', '-1', '1.5', 'x', '9007199254740993']) {
      expect((await author.api.get(`${path}/${number}`)).status).toBe(404);
    }
  });

  describe('PullRequestReaderService', () => {
    it('finds pull requests by their threads', async () => {
      const { world } = tested;
      const { id, number } = await add();
      const threads = [await threadOf(id), project.pullRequestThreadId, project.issueThreadId, 999_999];
      const read = await world.service(PullRequestReaderService).readByThreads(threads);
      const found = await world.service(UsersService).complete(read);
      expect([...found.keys()].sort()).toEqual(threads.slice(0, 2).sort());
      expect(found.get(threads[0] as number)).toEqual((await author.api.get(`${path}/${number}`)).body);
    });
  });

  describe('PullRequestsService', () => {
    it.each([
      [RoleType.Administrator, 'none', true],
      [RoleType.NormalUser, 'member', true],
      [RoleType.NormalUser, 'none', false],
      [RoleType.Reporter, 'member', false],
      [RoleType.Viewer, 'member', false],
      [RoleType.GuestReporter, 'member', false],
      [RoleType.GuestViewer, 'member', false],
    ])('decides on stars by role %i with membership %s: %s', async (roleType, membership, expected) => {
      const { world } = tested;
      const { id } = await add();
      const person =
        membership === 'member' ? await world.addMember(project, roleType) : await world.addUser(roleType);
      const caller = { id: person.id, roleType };
      const starrable = {
        threadId: await threadOf(id),
        projectId: project.id,
        authorId: author.id,
        developersOnly: true,
        title: `[${project.repositoryName}#2] A change`,
        url: `https://pm.example.com/git/${project.key}/${project.repositoryName}/pullRequests/2`,
      };
      const service = world.service(PullRequestsService);
      const found = [
        await service.findStarrable(caller, id),
        await service.findStarrableByThread(caller, starrable.threadId),
      ];
      expect(found).toEqual(expected ? [starrable, starrable] : [undefined, undefined]);
      expect(await service.findStarrable(caller, 999_999)).toBeUndefined();
    });
  });
});
