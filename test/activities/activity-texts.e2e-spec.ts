import { ActivitiesService } from '../../src/activities/activities.service';
import { Activity } from '../../src/activities/entities/activity.entity';
import { insertRow } from '../../src/database/sql/rows';
import { longLists } from '../../src/event-loop/long-lists';
import { ProjectRemovalService } from '../../src/projects/project-removal.service';
import { everythingStored, statementsOf } from '../support/records';
import { type DeliveryDto } from '../../src/webhooks/dto/delivery.dto';
import { disable, eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { type ProjectFixture, useWorld, type World } from '../support/world';

interface Shown {
  id: number;
  type: number;
  content: Record<string, unknown>;
}

const LONG = 'Every line of it matters. "Ünicode" 😀\n'.repeat(2_600).slice(0, 100_000);
const other = (text: string): string => text.replaceAll('matters', 'counts');

describe('the storage of long texts of activities', () => {
  const tested = useWebhook(useWorld({ ...QUICK_DELIVERY, WEBHOOK_RETRY_DELAYS: '0,0,0' }));

  const describeIssue = async (description: string): Promise<void> => {
    const { status } = await tested.owner.api.patch(`/issues/${tested.project.issueKey}`, { description });
    expect(status).toBe(200);
  };

  const activities = async (query = ''): Promise<Shown[]> => {
    const { status, body } = await tested.owner.api.get<Shown[]>(
      `/projects/${tested.project.key}/activities?order=asc&count=100${query}`,
    );
    expect(status).toBe(200);
    return body;
  };

  const charactersStored = async (world: World): Promise<number> =>
    JSON.stringify(await everythingStored(world)).length;

  const textsOf = async (world: World, project: { id: number }): Promise<number> =>
    (
      await world.dataSource.query<unknown[]>('SELECT 1 FROM activity_text WHERE project_id = ?', [
        project.id,
      ])
    ).length;

  it('reads a page with many texts in a turn for long lists', async () => {
    const { world, owner, webhook, project } = tested;
    await disable(world, webhook);
    const turns = vi.spyOn(longLists, 'run');
    await describeIssue(LONG);
    const texts = Array.from({ length: 80 }, (_, number) => `${number} ${'long '.repeat(1000)}`.trim());
    for (const content of texts.slice(0, 40)) await tested.comment(content);
    const short = await activities('&activityTypeId[]=3');
    // The description of their common issue counts as one text.
    expect([short.length, turns.mock.calls.length]).toEqual([40, 0]);
    for (const content of texts.slice(40)) await tested.comment(content);

    const paths = [`/projects/${project.key}`, '/space', `/users/${owner.id}`];
    for (const path of paths) {
      turns.mockClear();
      const { status, body } = await owner.api.get<Shown[]>(
        `${path}/activities?order=asc&count=100&activityTypeId[]=3`,
      );
      expect([path, status]).toEqual([path, 200]);
      const shown = body.map(({ content }) => (content.comment as { content: string }).content);
      expect(shown).toEqual(texts);
      expect(turns).toHaveBeenCalledTimes(1);
    }
    turns.mockRestore();
  });

  it('stores a description once for 100 comments on the issue', async () => {
    const { world, owner, webhook } = tested;
    await disable(world, webhook);
    await describeIssue(LONG);
    const before = await charactersStored(world);
    for (let number = 0; number < 100; number++) await tested.comment('.');
    expect((await charactersStored(world)) - before).toBeLessThan(400_000);

    const commented = await activities('&activityTypeId[]=3');
    expect(commented).toHaveLength(100);
    for (const { content } of commented) {
      expect(Object.keys(content)).toEqual([
        'id',
        'key_id',
        'summary',
        'description',
        'comment',
        'changes',
        'attachments',
        'shared_files',
        'external_file_links',
      ]);
      expect(content.description === LONG).toBe(true);
    }
    const { body: one } = await owner.api.get(`/activities/${commented[50]?.id}`);
    expect(one).toEqual(commented[50]);
  });

  it('keeps a text byte for byte in the activity and every delivery attempt', async () => {
    const { world, owner, project, endpoint, webhook } = tested;
    await describeIssue(LONG);
    await endpoint.received(1);
    endpoint.answerWith({ isHeld: true, status: 500 }, { status: 500 });
    await tested.comment(LONG.slice(0, 40_000));
    await endpoint.received(2);
    await owner.api.patch(`/projects/${project.key}`, { name: 'Another name' });
    await world.admin.api.patch(`/users/${owner.id}`, { name: 'Another name' });
    await describeIssue(other(LONG));
    endpoint.release();
    const failed = await eventually(
      () => webhook.deliveries('&state=failed'),
      (deliveries) => deliveries.length === 2,
    );

    const [activity] = await activities('&activityTypeId[]=3');
    expect(activity?.content).toMatchObject({
      description: LONG,
      comment: { content: LONG.slice(0, 40_000) },
    });
    const { messageId, id } = failed[0] as DeliveryDto;
    const sent = endpoint.requests.filter(({ headers }) => headers['webhook-id'] === messageId);
    expect(sent).toHaveLength(4);
    const { payload } = await webhook.delivery(id);
    for (const { body } of sent) expect(body === payload).toBe(true);
    const parsed = JSON.parse(payload) as Shown & {
      project: { name: string };
      createdUser: { name: string };
    };
    expect(JSON.stringify(parsed)).toBe(payload);
    expect(parsed.project.name).toBe(`Project ${project.key}`);
    expect(parsed.createdUser.name).toBe(owner.name);
    expect(parsed).toMatchObject({ id: activity?.id, content: activity?.content });
  });

  it('keeps the text of an activity after later changes', async () => {
    await disable(tested.world, tested.webhook);
    await describeIssue(LONG);
    await tested.comment('Before');
    await describeIssue(other(LONG));
    await tested.comment('After');
    const [first, before, second, after] = await activities();
    expect(first?.content.description === LONG).toBe(true);
    expect(before?.content.description === LONG).toBe(true);
    expect(second?.content.description === other(LONG)).toBe(true);
    expect(second?.content.changes).toMatchObject([
      { field: 'description', new_value: other(LONG), old_value: LONG },
    ]);
    expect(after?.content.description === other(LONG)).toBe(true);
  });

  it('stores the texts of wiki pages and pull requests once', async () => {
    const { world, owner, project, webhook } = tested;
    await disable(world, webhook);
    const requests = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests`;
    const pullRequest = `${requests}/${project.pullRequestNumber}`;
    await owner.api.patch(pullRequest, { description: LONG });
    await owner.api.patch(`/wikis/${project.wikiId}`, { content: LONG });
    const before = await charactersStored(world);
    for (let number = 0; number < 10; number++) {
      await owner.api.post(`${pullRequest}/comments`, { content: '.' });
      const upload = await world.addUpload(owner);
      await owner.api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId: [upload] });
    }
    expect((await charactersStored(world)) - before).toBeLessThan(80_000);
    const shown = await activities('&activityTypeId[]=20&activityTypeId[]=6');
    expect(shown).toHaveLength(21);
    for (const { type, content } of shown) {
      expect((type === 6 ? content.content : content.description) === LONG).toBe(true);
    }
  });

  it('stores no second copy when a wiki page is renamed', async () => {
    const { world, owner, project, webhook } = tested;
    await disable(world, webhook);
    await owner.api.patch(`/wikis/${project.wikiId}`, { content: LONG });
    const before = await charactersStored(world);
    for (let number = 0; number < 10; number++) {
      await owner.api.patch(`/wikis/${project.wikiId}`, { name: `Name ${number}` });
    }
    expect((await charactersStored(world)) - before).toBeLessThan(40_000);
    await owner.api.patch(`/wikis/${project.wikiId}`, { content: 'Short' });
    await owner.api.patch(`/wikis/${project.wikiId}`, { name: 'Last' });
    const { body } = await owner.api.get<{ version: number; name: string; content: string }[]>(
      `/wikis/${project.wikiId}/history?order=asc&count=100`,
    );
    expect(body.map(({ name }) => name).slice(2, 12)).toEqual(
      Array.from({ length: 10 }, (_, number) => `Name ${number}`),
    );
    for (const [index, { content }] of body.entries()) {
      expect([index, content === LONG]).toEqual([index, index > 0 && index < 12]);
    }
    expect(body.slice(-2).map(({ content }) => content)).toEqual(['Short', 'Short']);
  });

  it('stores one text for simultaneous comments', async () => {
    const { world, owner, project, webhook } = tested;
    await disable(world, webhook);
    await world.dataSource.query('UPDATE issue SET description = ? WHERE id = ?', [LONG, project.issueId]);
    const comments = Array.from({ length: 12 }, (_, number) =>
      owner.api.post(`/issues/${project.issueKey}/comments`, { content: `Comment ${number}` }),
    );
    expect((await Promise.all(comments)).map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(await textsOf(world, project)).toBe(1);
    for (const { content } of await activities()) expect(content.description === LONG).toBe(true);
  });

  it('leaves activity_text alone for a comment without long texts', async () => {
    const { world, owner, project } = tested;
    const statements = await statementsOf(world, () =>
      owner.api.post(`/issues/${project.issueKey}/comments`, { content: 'Hello' }),
    );
    expect(statements.filter((sql) => sql.includes('activity_text'))).toEqual([]);
  });

  it('lists any number of texts with the same number of statements', async () => {
    const { world, owner, project, webhook } = tested;
    await disable(world, webhook);
    const list = async (count: number): Promise<string[]> => {
      const path = `/projects/${project.key}/activities?count=${count}`;
      return statementsOf(world, () => owner.api.get(path));
    };
    for (let number = 0; number < 9; number++) await tested.comment(`${number} ${LONG.slice(0, 2000)}`);
    expect(await list(9)).toHaveLength((await list(1)).length);
  });

  it.each([
    '{"$text":"AAAA"}',
    `{"$text":"${'A'.repeat(43)}"}`,
    JSON.stringify({ $text: LONG.slice(0, 2000) }),
  ])('keeps user text that looks like a reference: %.30s', async (text) => {
    const { endpoint } = tested;
    await tested.comment(text);
    const [activity] = await activities();
    expect(activity?.content).toMatchObject({ comment: { content: text } });
    const [request] = await endpoint.received(1);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ content: { comment: { content: text } } });
  });

  it('shows and sends full texts of an earlier version unchanged', async () => {
    const { world, owner, project, webhook } = tested;
    await disable(world, webhook);
    await tested.comment('Hello');
    const content = { id: project.issueId, description: LONG };
    await world.write((manager) =>
      insertRow(manager, Activity, {
        projectId: project.id,
        type: 3,
        content,
        createdUserId: owner.id,
        created: Date.now(),
      }),
    );
    const [, activity] = await activities();
    expect(activity?.content).toEqual(content);
    const [delivery] = await webhook.deliveries();
    const payload = JSON.stringify({ id: 1, content });
    await world.dataSource.query(
      'UPDATE webhook_event SET payload = ? WHERE id = (SELECT event_id FROM webhook_delivery WHERE id = ?)',
      [payload, delivery?.id],
    );
    expect((await webhook.delivery(delivery?.id as number)).payload === payload).toBe(true);
    await webhook.enable();
    const [request] = await tested.endpoint.received(1);
    expect(request?.body === payload).toBe(true);
  });

  it('removes the texts of a deleted project and keeps those of others', async () => {
    const { world, project, webhook } = tested;
    await disable(world, webhook);
    const elsewhere: ProjectFixture = await world.addProject();
    for (const { id } of [project, elsewhere]) {
      await world.write(async (manager) => {
        for (let number = 0; number < 3; number++) {
          await world.service(ActivitiesService).record(manager, {
            projectId: id,
            type: 5,
            content: {
              id: 1,
              name: 'Page',
              content: `${number} ${LONG.slice(0, 2000)}`,
              diff: '',
              version: 1,
              attachments: [],
              shared_files: [],
            },
            author: world.admin,
            created: Date.now(),
          });
        }
      });
    }
    expect([await textsOf(world, project), await textsOf(world, elsewhere)]).toEqual([3, 3]);
    const projects = world.service(ProjectRemovalService);
    // Otherwise the texts would be deleted with the project's row, not by their own remover.
    projects.register('comments', () => Promise.reject(new Error('That is far enough.')));
    await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
    projects.start();
    await world.background.whenIdle();
    expect([await textsOf(world, project), await textsOf(world, elsewhere)]).toEqual([0, 3]);
  });
});
