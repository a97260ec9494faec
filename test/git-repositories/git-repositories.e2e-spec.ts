import { insertRows } from '../../src/database/sql/rows';
import { Comment } from '../../src/comments/entities/comment.entity';
import { CommentThread } from '../../src/comments/entities/comment-thread.entity';
import { GitRepositoriesService } from '../../src/git-repositories/git-repositories.service';
import { ProjectRemovalService } from '../../src/projects/project-removal.service';
import { PullRequest } from '../../src/pull-requests/entities/pull-request.entity';
import { RoleType } from '../../src/access/role-type';
import { activitiesOf, backgroundStatementsOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

const LONG_AGO = Date.parse('2020-02-29T12:34:56.789Z');

describe('the API of git repositories', () => {
  const tested = useWorld({ PUBLIC_URL: 'https://pm.example.com/' });
  let project: ProjectFixture;
  let member: Person;
  let manager: Person;
  let all: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    member = await world.addMember(project);
    manager = await world.addMember(project, RoleType.NormalUser, true);
    all = `/projects/${project.key}/git/repositories`;
  });

  /** Matches every field of a repository and no other. */
  const repositoryShape = (
    author: Pick<Person, 'id' | 'name'>,
    name: string,
    fields: object = {},
  ): object => ({
    id: anId,
    projectId: project.id,
    name,
    description: '',
    hookUrl: null,
    httpUrl: `https://pm.example.com/git/${project.key}/${name}.git`,
    sshUrl: `git@pm.example.com:/${project.key}/${name}.git`,
    displayOrder: 0,
    pushedAt: null,
    defaultBranch: 'main',
    protectsDefaultBranch: true,
    createdUser: userShape(author),
    created: aTimestamp,
    updatedUser: userShape(author),
    updated: aTimestamp,
    ...fields,
  });

  const rowsOf = async (table: string, condition: string, ...parameters: unknown[]): Promise<number> => {
    const rows = await tested.world.dataSource.query<unknown[]>(
      `SELECT 1 FROM ${table} WHERE ${condition}`,
      parameters,
    );
    return rows.length;
  };

  const usedOf = async (): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ used: number }]>(
      'SELECT used FROM project_counter WHERE project_id = ? AND name = ?',
      [project.id, 'gitRepository'],
    );
    return row.used;
  };

  it('lists the repositories of the project in the query', async () => {
    await manager.api.post(all, { name: 'other' });
    const { body: expected } = await member.api.get(all);
    expect(expected).toHaveLength(2);
    for (const name of [project.key, project.id]) {
      const { status, body } = await member.api.get(`/git/repositories?projectIdOrKey=${name}`);
      expect(status).toBe(200);
      expect(body).toEqual(expected);
    }
    expect((await member.api.get('/git/repositories')).body).toEqual(errorShape(7, ['projectIdOrKey']));
    expect((await member.api.get('/git/repositories?projectIdOrKey=NOSUCH')).status).toBe(404);
  });

  describe('GET /projects/{projectIdOrKey}/git/repositories', () => {
    it('returns the repositories of the project in display order with all fields', async () => {
      const { world } = tested;
      await manager.api.post(all, { name: 'a-second', description: 'Its description' });
      await world.addProject();
      const { status, body } = await member.api.get(all);
      expect(status).toBe(200);
      expect(body).toEqual([
        repositoryShape(world.admin, project.repositoryName, { id: project.repositoryId }),
        repositoryShape(manager, 'a-second', { description: 'Its description', displayOrder: 1 }),
      ]);
    });

    it('returns an empty list for a project without repositories', async () => {
      await tested.world.admin.api.delete(`${all}/${project.repositoryName}`);
      expect((await member.api.get(all)).body).toEqual([]);
    });
  });

  it('returns a repository by name and by id', async () => {
    const byName = await member.api.get(`${all}/${project.repositoryName}`);
    const byId = await member.api.get(`/projects/${project.id}/git/repositories/${project.repositoryId}`);
    expect(byName.status).toBe(200);
    expect(byName.body).toEqual(repositoryShape(tested.world.admin, project.repositoryName));
    expect(byId.text).toBe(byName.text);
  });

  describe('POST /projects/{projectIdOrKey}/git/repositories', () => {
    it('returns 200 with the repository, placed last, and writes activity 13', async () => {
      const { status, body } = await manager.api.post(all, {
        name: ' web.client_2-x ',
        description: 'Its d.',
      });
      expect(status).toBe(200);
      expect(body).toEqual(
        repositoryShape(manager, 'web.client_2-x', { description: 'Its d.', displayOrder: 1 }),
      );
      expect((await member.api.get(`${all}/web.client_2-x`)).body).toEqual(body);
      expect(await activitiesOf(tested.world, project)).toEqual([
        {
          type: 13,
          createdUserId: manager.id,
          content: { repository: { id: body.id, name: 'web.client_2-x', description: 'Its d.' } },
        },
      ]);
    });

    it.each(['a', '9a', 'A'.repeat(100), 'x..y', 'x.git.y', 'git', '1_', '7.0'])(
      'accepts the name %s',
      async (name) => {
        expect((await manager.api.post(all, { name })).body.name).toBe(name);
        expect((await member.api.get(`${all}/${name}`)).body.name).toBe(name);
      },
    );

    it.each([
      ['a missing name', {}],
      ['an empty name', { name: '' }],
      ['a name of digits only', { name: '42' }],
      ['a name that ends in .git', { name: 'web.git' }],
      ['a name that starts with a dash', { name: '-web' }],
      ['a name that starts with a dot', { name: '.web' }],
      ['a name that starts with an underscore', { name: '_web' }],
      ['a name with a slash', { name: 'a/b' }],
      ['a name with a space', { name: 'a b' }],
      ['a name with non-ASCII letters', { name: 'wäb' }],
      ['a name with a line break', { name: 'web\nclient' }],
      ['a name of 101 characters', { name: 'a'.repeat(101) }],
      ['null as the name', { name: null }],
      ['a number as the name', { name: 42 }],
    ])('refuses %s', async (_what, body) => {
      await expectRefused(tested.world, () => manager.api.post(all, body), ['name']);
    });

    it('refuses a name taken in the same project, but not in another', async () => {
      const { world } = tested;
      const other = await world.addProject();
      const name = project.repositoryName;
      await expectRefused(world, () => manager.api.post(all, { name }), ['name']);
      const answer = await world.admin.api.post(`/projects/${other.key}/git/repositories`, { name });
      expect(answer.status).toBe(200);
    });

    it('distinguishes names by letter case', async () => {
      const name = project.repositoryName.toUpperCase();
      expect((await manager.api.post(all, { name })).body.name).toBe(name);
    });

    it('accepts one of ten simultaneous requests with the same name', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => manager.api.post(all, { name: 'web' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
      expect(await usedOf()).toBe(2);
    });

    it('returns 409 beyond 100 repositories, also to simultaneous requests', async () => {
      const { world } = tested;
      await world.dataSource.query('UPDATE project_counter SET used = 98 WHERE project_id = ? AND name = ?', [
        project.id,
        'gitRepository',
      ]);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => manager.api.post(all, { name: `web-${index}` })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, ...Array<number>(8).fill(409)]);
      const { body } = await manager.api.post(all, { name: 'one-more' });
      expect(body).toEqual(errorShape(9));
    });
  });

  describe('PATCH /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}', () => {
    let path: string;

    beforeEach(async () => {
      path = `${all}/${project.repositoryName}`;
      await tested.world.dataSource.query('UPDATE git_repository SET created = ?, updated = ? WHERE id = ?', [
        LONG_AGO,
        LONG_AGO,
        project.repositoryId,
      ]);
    });

    it('changes name, description, updatedUser and updated without writing an activity', async () => {
      const { world } = tested;
      const changes = { name: 'renamed', description: 'Its description' };
      const { status, body } = await manager.api.patch(path, changes);
      expect(status).toBe(200);
      expect(body).toEqual(
        repositoryShape(world.admin, 'renamed', {
          ...changes,
          created: '2020-02-29T12:34:56Z',
          updatedUser: userShape(manager),
        }),
      );
      expect(body.updated).not.toBe('2020-02-29T12:34:56Z');
      expect((await member.api.get(`${all}/renamed`)).body).toEqual(body);
      expect((await member.api.get(path)).status).toBe(404);
      expect(await activitiesOf(world, project)).toEqual([]);
    });

    it('keeps absent fields', async () => {
      await manager.api.patch(path, { description: 'Its description' });
      const { body } = await manager.api.patch(path, { name: 'renamed' });
      expect(body).toMatchObject({ name: 'renamed', description: 'Its description' });
    });

    it.each([
      ['is empty', () => ({})],
      ['repeats the stored values', () => ({ name: project.repositoryName, description: '' })],
    ])('changes nothing when the request %s', async (_what, body) => {
      const answer = await manager.api.patch(path, body());
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(
        repositoryShape(tested.world.admin, project.repositoryName, {
          created: '2020-02-29T12:34:56Z',
          updated: '2020-02-29T12:34:56Z',
        }),
      );
    });

    it.each([
      ['a name taken by another repository', 'name', { name: 'taken' }],
      ['a name of digits only', 'name', { name: '42' }],
      ['null as the name', 'name', { name: null }],
      ['null as the description', 'description', { description: null }],
    ])('refuses %s', async (_what, field, body) => {
      await manager.api.post(all, { name: 'taken' });
      await expectRefused(tested.world, () => manager.api.patch(path, body), [field]);
    });
  });

  describe('DELETE /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}', () => {
    let path: string;

    beforeEach(() => {
      path = `${all}/${project.repositoryName}`;
    });

    it('returns the deleted repository, writes no activity and frees its name', async () => {
      const before = await member.api.get(path);
      const { status, body } = await manager.api.delete(path);
      expect(status).toBe(200);
      expect(body).toEqual(before.body);
      expect((await member.api.get(path)).status).toBe(404);
      expect((await member.api.get(pullRequestComments(project))).status).toBe(404);
      expect(await activitiesOf(tested.world, project)).toEqual([]);
      expect(await usedOf()).toBe(0);
      expect((await manager.api.post(all, { name: project.repositoryName })).status).toBe(200);
    });

    it('deletes its pull requests, comments, notifications and files, and no others', async () => {
      const { world } = tested;
      const other = await world.addProject();
      const attachmentId = await world.addUpload(world.admin);
      await world.admin.api.post(pullRequestComments(project), {
        content: 'A comment',
        notifiedUserId: [member.id],
        attachmentId: [attachmentId],
      });
      await world.addComment(other.pullRequestThreadId, world.admin);
      await world.addComment(project.issueThreadId, world.admin);
      expect((await manager.api.delete(path)).status).toBe(200);
      expect(await rowsOf('pull_request', 'project_id = ?', project.id)).toBe(0);
      expect(await rowsOf('comment', 'thread_id = ?', project.pullRequestThreadId)).toBe(0);
      expect(await rowsOf('notification', 'user_id = ?', member.id)).toBe(0);
      expect(await rowsOf('comment_thread', 'id = ?', project.pullRequestThreadId)).toBe(0);
      expect(await rowsOf('attachment', 'id = ? AND attached = ?', attachmentId, true)).toBe(0);
      expect(await rowsOf('comment', 'thread_id = ?', project.issueThreadId)).toBe(1);
      expect(await rowsOf('comment', 'thread_id = ?', other.pullRequestThreadId)).toBe(1);
    });

    /** Adds more rows than one transaction deletes. */
    async function fill(): Promise<void> {
      const { world } = tested;
      await world.write(async (transaction) => {
        const numbers = Array.from({ length: 1100 }, (_, index) => index + 2);
        const firstThread = await insertRows(
          transaction,
          CommentThread,
          numbers.map(() => ({ projectId: project.id })),
        );
        const threads = await transaction.query<{ id: number }[]>(
          'SELECT id FROM comment_thread WHERE id >= ? ORDER BY id',
          [firstThread],
        );
        const told = { createdUserId: world.admin.id, created: LONG_AGO, updated: LONG_AGO };
        for (let start = 0; start < numbers.length; start += 100) {
          const rows = numbers.slice(start, start + 100);
          await insertRows(
            transaction,
            PullRequest,
            rows.map((number) => ({
              ...told,
              projectId: project.id,
              repositoryId: project.repositoryId,
              number,
              threadId: threads[number - 2]!.id,
              summary: 'Summary',
              description: '',
              base: 'main',
              branch: 'branch',
              updatedUserId: world.admin.id,
            })),
          );
          await insertRows(
            transaction,
            Comment,
            rows.map(() => ({ ...told, threadId: project.pullRequestThreadId, content: '', changeLog: [] })),
          );
        }
      });
    }

    it('deletes a repository with more than 1,000 pull requests completely', async () => {
      await fill();
      expect((await manager.api.delete(path)).status).toBe(200);
      expect(await rowsOf('pull_request', 'project_id = ?', project.id)).toBe(0);
      expect(await rowsOf('comment', 'thread_id = ?', project.pullRequestThreadId)).toBe(0);
      // Those of the issue and the wiki page remain.
      expect(await rowsOf('comment_thread', 'project_id = ?', project.id)).toBe(2);
    });

    it('returns 200 to one of two simultaneous requests and 404 to the other', async () => {
      await fill();
      const answers = await Promise.all([manager.api.delete(path), manager.api.delete(path)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
      expect(await usedOf()).toBe(0);
    });

    it('leaves none of the pull requests, comments or files added at the same time', async () => {
      const { world } = tested;
      const uploads = [await world.addUpload(member), await world.addUpload(member)];
      const pullRequest = { summary: 'A change', description: '', base: 'main', branch: 'change' };
      const pullRequests = `${path}/pullRequests`;
      const [removed, ...added] = await Promise.all([
        manager.api.delete(path),
        member.api.post(pullRequests, pullRequest),
        member.api.post(pullRequests, { ...pullRequest, attachmentId: [uploads[0]] }),
        member.api.post(pullRequestComments(project), { content: 'Text', attachmentId: [uploads[1]] }),
        member.api.patch(`${pullRequests}/1`, { summary: 'Changed' }),
      ]);
      expect(removed.status).toBe(200);
      for (const { status } of added) expect([200, 404]).toContain(status);
      expect(await rowsOf('pull_request', 'project_id = ?', project.id)).toBe(0);
      expect(await rowsOf('comment_thread', 'project_id = ?', project.id)).toBe(2);
      expect(await rowsOf('pull_request_attachment', 'attachment_id > 0')).toBe(0);
      const attached = await rowsOf('attachment', 'created_user_id = ? AND attached = ?', member.id, true);
      expect(attached).toBe(0);
    });
  });

  it('deletes the repositories, pull requests and files of a removed project', async () => {
    const { world } = tested;
    const attachmentId = await world.addUpload(member);
    await member.api.post(pullRequestComments(project), { content: 'Text', attachmentId: [attachmentId] });
    expect((await manager.api.post(all, { name: 'second' })).status).toBe(200);
    await world.dataSource.query('UPDATE project SET deleted = ? WHERE id = ?', [true, project.id]);
    const statements = await backgroundStatementsOf(world, world.service(ProjectRemovalService));
    // Each may have thousands of refs, which are deleted with it.
    expect(statements.filter((sql) => sql.startsWith('DELETE FROM git_repository'))).toEqual([
      'DELETE FROM git_repository WHERE id = ?',
      'DELETE FROM git_repository WHERE id = ?',
    ]);
    expect(await rowsOf('git_repository', 'project_id = ?', project.id)).toBe(0);
    expect(await rowsOf('pull_request', 'project_id = ?', project.id)).toBe(0);
    expect(await rowsOf('attachment', 'id = ? AND attached = ?', attachmentId, true)).toBe(0);
  });

  it('finds summaries of repositories by id', async () => {
    const { world } = tested;
    const { id } = (await manager.api.post(all, { name: 'web', description: 'Its description' })).body;
    const found = await world.service(GitRepositoriesService).findSummaries([id, 999_999]);
    expect(found).toEqual(new Map([[id, { id, name: 'web', description: 'Its description' }]]));
  });
});
