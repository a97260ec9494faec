import { BackgroundService } from '../../src/background/background.service';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { ProjectRemovalService } from '../../src/projects/project-removal.service';
import { ProjectsService } from '../../src/projects/projects.service';
import { RoleType } from '../../src/access/role-type';
import { UsersService } from '../../src/users/users.service';
import { useApplications } from '../support/applications';
import { itOnEmbedded, itOnServer } from '../support/engines';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

/** Returns the number of rows of a project in each table that has any. */
async function rowsOf(dataSource: DataSource, projectId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { tableName, columns } of dataSource.entityMetadatas) {
    // The audit log outlives its subjects.
    if (tableName === 'audit_log_entry') continue;
    const column = tableName === 'project' ? 'id' : 'project_id';
    if (!columns.some(({ databaseName }) => databaseName === column)) continue;
    const [row] = await dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM ${tableName} WHERE ${column} = ?`,
      [projectId],
    );
    if (Number(row.count) > 0) counts[tableName] = Number(row.count);
  }
  return counts;
}

describe('DELETE /projects/{projectIdOrKey}', () => {
  const tested = useWorld();

  const whenRemoved = (): Promise<void> => tested.world.background.whenIdle();

  const remove = (project: ProjectFixture) => tested.world.admin.api.delete(`/projects/${project.key}`);

  /** Adds a project with a little of everything. */
  const addFullProject = async (): Promise<ProjectFixture & { member: Person }> => {
    const { world } = tested;
    const project = await world.addProject();
    const member = await world.addMember(project, RoleType.NormalUser, true);
    const { api } = member;
    const hook = { name: 'Chat', hookUrl: 'https://hooks.example.com/', allEvent: true };
    expect((await api.post(`/projects/${project.key}/webhooks`, hook)).status).toBe(201);
    const comment = {
      content: 'Hello',
      notifiedUserId: [world.admin.id],
      attachmentId: [await world.addUpload(member)],
    };
    expect((await api.post(`/issues/${project.issueKey}/comments`, comment)).status).toBe(201);
    const attachmentId = [await world.addUpload(member)];
    expect((await api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId })).status).toBe(200);
    await world.addComment(project.pullRequestThreadId, member);
    const watching = { issueIdOrKey: project.issueKey };
    expect((await api.post('/watchings', watching)).status).toBe(201);
    expect((await api.post('/users/myself/recentlyViewedIssues', watching)).status).toBe(200);
    expect((await api.post('/stars', { wikiId: project.wikiId })).status).toBe(204);
    const field = { typeId: 6, name: 'Field', items: ['Item'], applicableIssueTypes: [project.issueTypeId] };
    const { body } = await world.admin.api.post(`/projects/${project.key}/customFields`, field);
    const value = { [`customField_${body.id}`]: [body.items[0].id] };
    expect((await api.patch(`/issues/${project.issueKey}`, value)).status).toBe(200);
    const other = await world.addUser();
    expect((await api.post(`/projects/${project.key}/users`, { userId: other.id })).status).toBe(200);
    return { ...project, member };
  };

  it('returns the project, and hides it with its contents immediately', async () => {
    const { world } = tested;
    const project = await addFullProject();
    const { admin } = world;
    const { body: before } = await admin.api.get(`/projects/${project.key}`);
    const { status, body } = await remove(project);
    expect(status).toBe(200);
    expect(body).toEqual(before);
    for (const { api } of [admin, project.member]) {
      for (const path of [
        `/projects/${project.key}`,
        `/projects/${project.id}`,
        `/projects/%23${project.id}`,
        `/projects/${project.id}/users`,
        pullRequestComments(project),
      ]) {
        expect([path, (await api.get(path)).status]).toEqual([path, 404]);
      }
      const content = { content: 'Still there?' };
      expect((await api.post(`/issues/${project.issueKey}/comments`, content)).status).toBe(404);
      expect((await api.post(`/issues/${project.issueId}/comments`, content)).status).toBe(404);
      const { body: projects } = await api.get<{ id: number }[]>('/projects?all=true');
      expect(projects.map(({ id }) => id)).not.toContain(project.id);
    }
  });

  it('frees the key of the project', async () => {
    const { world } = tested;
    const project = await world.addProject();
    await remove(project);
    const { status, body } = await world.admin.api.post('/projects', { name: 'New', key: project.key });
    expect(status).toBe(201);
    expect(body.id).not.toBe(project.id);
  });

  it('removes all of its rows in the background, and none of another project', async () => {
    const { world } = tested;
    const [project, other] = [await addFullProject(), await addFullProject()];
    const before = await rowsOf(world.dataSource, other.id);
    await remove(project);
    await whenRemoved();
    expect(await rowsOf(world.dataSource, project.id)).toEqual({});
    expect(await rowsOf(world.dataSource, other.id)).toEqual(before);
    const comments = `/issues/${other.issueKey}/comments`;
    expect((await other.member.api.post(comments, { content: 'Still here' })).status).toBe(201);
  });

  it('removes a project with 600 members', async () => {
    const { world } = tested;
    const project = await world.addProject();
    await world.write(async (manager) => {
      for (let number = 0; number < 600; number++) {
        const name = world.uniqueName('member');
        const id = await world.service(UsersService).add(manager, {
          userId: name,
          name,
          roleType: RoleType.Viewer,
          mailAddress: 'member@example.com',
        });
        await world.service(ProjectsService).addMember(manager, project.id, id, false);
      }
    });
    await remove(project);
    await whenRemoved();
    expect(await rowsOf(world.dataSource, project.id)).toEqual({});
  });

  it('answers 200 to one of two simultaneous requests and 404 to the other', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const answers = await Promise.all([1, 2].map(() => remove(project)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await world.admin.api.delete(`/projects/${project.id}`)).status).toBe(404);
  });

  it('leaves nothing behind from simultaneous writes', async () => {
    const { world } = tested;
    const project = await addFullProject();
    const { api } = project.member;
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => api.post(`/issues/${project.issueKey}/comments`, { content: 'x' })),
      api.patch(`/projects/${project.key}`, { name: 'New' }),
      remove(project),
      ...Array.from({ length: 5 }, () => api.post(`/issues/${project.issueKey}/comments`, { content: 'x' })),
      api.patch(`/projects/${project.key}`, { key: `${project.key}X` }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    await whenRemoved();
    // The next run removes rows that were added after their step.
    world.service(ProjectRemovalService).start();
    await whenRemoved();
    expect(await rowsOf(world.dataSource, project.id)).toEqual({});
  });

  itOnEmbedded('yields to the event loop every few milliseconds', async () => {
    const { world } = tested;
    const project = await addFullProject();
    let now = 0;
    let inTurn = 0;
    let most = 0;
    let isOver = false;
    const endTurn = (): void => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      if (!isOver) setImmediate(endTurn);
    };
    // Every look at the clock takes half of the time of a turn.
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
    // Other background work reads and updates in the same turns; only the removal deletes.
    vi.spyOn(world.dataSource.logger, 'logQuery').mockImplementation((sql) => {
      if (sql.startsWith('DELETE')) inTurn++;
    });
    try {
      setImmediate(endTurn);
      await remove(project);
      await whenRemoved();
    } finally {
      isOver = true;
      vi.restoreAllMocks();
    }
    expect(await rowsOf(world.dataSource, project.id)).toEqual({});
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(5);
  });

  it('leaves the members of the project, who can be deleted', async () => {
    const { world } = tested;
    const project = await addFullProject();
    await remove(project);
    await whenRemoved();
    expect((await project.member.api.get('/projects')).body).toEqual([]);
    expect((await world.admin.api.delete(`/users/${project.member.id}`)).status).toBe(200);
  });
});

describe('an interrupted removal of a project', () => {
  const applications = useApplications();

  const start = (): Promise<NestExpressApplication> => applications.create({ DEMO_DATA: 'true' });

  /** Leaves a database as after a process that stops when the project has just been deleted. */
  const addDeletedProject = async (): Promise<number> => {
    const app = await start();
    await app.get(FirstStartService).run();
    const dataSource = app.get(DataSource);
    const [{ id }] = await dataSource.query<[{ id: number }]>('SELECT id FROM project');
    await app
      .get(TransactionsService)
      .run((manager) =>
        manager.query('UPDATE project SET deleted = 1, project_key = ? WHERE id = ?', [`#${id}`, id]),
      );
    expect(Object.keys(await rowsOf(dataSource, id)).length).toBeGreaterThan(5);
    await applications.close();
    return id;
  };

  it('continues at the next start', async () => {
    const id = await addDeletedProject();
    const app = await start();
    await app.get(BackgroundService).whenIdle();
    expect(await rowsOf(app.get(DataSource), id)).toEqual({});
  });

  itOnServer('completes in two processes at the same time', async () => {
    const id = await addDeletedProject();
    const apps = await Promise.all([start(), start()]);
    await Promise.all(apps.map((app) => app.get(BackgroundService).whenIdle()));
    expect(await rowsOf(apps[0].get(DataSource), id)).toEqual({});
  });
});
