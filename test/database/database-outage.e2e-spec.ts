import { type FragileWorld, startFragileWorld } from '../support/outage';
import { activitiesOf, everythingStored } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments } from '../support/world';
import { isEmbedded, itOnEmbedded } from '../support/engines';

describe('the service while the database is unreachable', () => {
  let fragile: FragileWorld;
  let project: ProjectFixture;
  let member: Person;
  let comments: string;

  beforeAll(async () => {
    fragile = await startFragileWorld({ DATABASE_STATEMENT_TIMEOUT: '2' });
    project = await fragile.world.addProject();
    member = await fragile.world.addMember(project);
    comments = `/issues/${project.issueKey}/comments`;
  });
  afterAll(() => fragile.stop());

  const health = (which: string): Promise<Response> =>
    fetch(`${new URL(fragile.world.server.baseUrl).origin}/health/${which}`);

  const whileBroken = async (work: () => Promise<void>): Promise<void> => {
    await fragile.breakDatabase();
    try {
      await work();
    } finally {
      await fragile.restoreDatabase();
    }
  };

  it('answers writes with 503 and Retry-After, stores nothing, and recovers', async () => {
    const before = await everythingStored(fragile.world);
    await whileBroken(async () => {
      const answer = await member.api.post(comments, { content: 'Hello' });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(answer.body).toEqual(errorShape(1));
      expect(answer.text).not.toMatch(/sql|busy|locked|connect|127\.0|stack/i);
    });
    expect(await everythingStored(fragile.world)).toEqual(before);
    expect((await member.api.post(comments, { content: 'Hello' })).status).toBe(201);
    expect(await activitiesOf(fragile.world, project)).toHaveLength(1);
  });

  it('serves reads on the embedded database and answers 503 on a server', async () => {
    const stranger = await fragile.world.addMember(project);
    const expected = isEmbedded ? 200 : 503;
    await whileBroken(async () => {
      for (const person of [member, stranger]) {
        const answer = await person.api.get(pullRequestComments(project));
        expect(answer.status).toBe(expected);
        expect(answer.headers.has('retry-after')).toBe(expected === 503);
      }
    });
    expect((await stranger.api.get(pullRequestComments(project))).status).toBe(200);
  });

  it('stays live, and is ready only while it can read', async () => {
    await whileBroken(async () => {
      expect((await health('live')).status).toBe(200);
      expect((await health('ready')).status).toBe(isEmbedded ? 200 : 503);
    });
    expect((await health('ready')).status).toBe(200);
  });

  it('answers 20 simultaneous writes with 503, and recovers', async () => {
    await whileBroken(async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => member.api.post(comments, { content: 'Hello' })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    });
    expect((await member.api.post(comments, { content: 'Hello' })).status).toBe(201);
  });
});

describe('the service while another process locks the embedded database', () => {
  itOnEmbedded('delays writes without delaying the reads of other users', async () => {
    // With a limit of a few seconds, the writes would not outlast the reads on a slow machine.
    const { world, breakDatabase, restoreDatabase, stop } = await startFragileWorld();
    try {
      const project = await world.addProject();
      const [member, other] = [await world.addMember(project), await world.addMember(project)];
      await breakDatabase();
      const answers = Promise.all(
        // Fewer than `MAX_USER_REQUESTS`: more would wait for 2 seconds at most.
        Array.from({ length: 30 }, () =>
          member.api.post(`/issues/${project.issueKey}/comments`, { content: 'Hello' }),
        ),
      );
      for (let read = 0; read < 40; read++) {
        expect((await other.api.get(pullRequestComments(project))).status).toBe(200);
      }
      await restoreDatabase();
      expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([201]));
    } finally {
      await stop();
    }
  });
});
