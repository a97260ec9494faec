import { DataSource } from 'typeorm';
import { type HangingWorld, startHangingWorld } from '../support/outage';
import { Receiver } from '../support/receiver';
import { activitiesOf } from '../support/records';
import { serverStatements } from '../support/server-statements';
import { errorShape } from '../support/shapes';
import { addWebhook, comment, eventually, QUICK_DELIVERY } from '../support/webhooks';
import { type ApiResponse } from '../support/api';
import { type Person, type ProjectFixture, pullRequestComments } from '../support/world';
import { describeOnServer } from '../support/engines';

describeOnServer('the service while the database hangs', () => {
  let hanging: HangingWorld;
  let project: ProjectFixture;
  let member: Person;
  let comments: string;

  const useHangingWorld = (environment: Record<string, string>): void => {
    beforeAll(async () => {
      hanging = await startHangingWorld({ ...QUICK_DELIVERY, ...environment });
      project = await hanging.world.addProject();
      member = await hanging.world.addMember(project);
      comments = `/issues/${project.issueKey}/comments`;
    });
    afterAll(() => hanging.stop());
  };

  const expectUnavailable = ({ status, headers, body, text }: ApiResponse): void => {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(body).toEqual(errorShape(1));
    expect(text).not.toMatch(/sql|time|lock|connect|127\.0|stack/i);
  };

  const whileHanging = async (work: () => Promise<void>, at?: string): Promise<void> => {
    hanging.hang(at);
    try {
      await work();
    } finally {
      hanging.goOn();
    }
  };

  /** Runs more at once than there are connections. */
  const many = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 8 }, work));

  describe('for longer than DATABASE_STATEMENT_TIMEOUT', () => {
    // Enough time for eight sequential writes, even if each waits for the other nodes of a cluster.
    useHangingWorld({ DATABASE_STATEMENT_TIMEOUT: '2', DATABASE_POOL_SIZE: '1' });

    it('answers reads and writes with 503 after the timeout, and recovers', async () => {
      const read = () => member.api.get(pullRequestComments(project));
      const write = () => member.api.post(comments, { content: 'Hello' });
      expect((await read()).status).toBe(200);
      await whileHanging(async () => {
        for (const answer of await many(read)) expectUnavailable(answer);
        for (const answer of await many(write)) expectUnavailable(answer);
      });
      const before = (await activitiesOf(hanging.world, project)).length;
      for (const { status } of await many(read)) expect(status).toBe(200);
      for (const { status } of await many(write)) expect(status).toBe(201);
      expect(await activitiesOf(hanging.world, project)).toHaveLength(before + 8);
    });

    it.each(['START TRANSACTION', 'Held', 'COMMIT'])(
      'answers 503 to a write whose statement with %s hangs, and stores the next',
      async (text) => {
        await member.api.post(comments, { content: 'Before' });
        await whileHanging(
          async () => expectUnavailable(await member.api.post(comments, { content: 'Held' })),
          text,
        );
        const { status, body } = await member.api.post(comments, { content: 'After' });
        expect([status, body.content]).toEqual([201, 'After']);
        const { body: list } = await member.api.get<{ content: string }[]>(comments);
        // Whether the write in the middle was committed is unknown.
        expect(
          list
            .map(({ content }) => content)
            .filter((content) => content !== 'Held')
            .slice(0, 2),
        ).toEqual(['After', 'Before']);
      },
    );

    it('resumes webhook deliveries afterwards', async () => {
      const receiver = await Receiver.start();
      try {
        const endpoint = receiver.endpoint();
        await addWebhook(hanging.world.admin, project, endpoint);
        await comment(member, project, 'Before');
        await endpoint.received(1);
        await whileHanging(async () => {
          // Long enough for the dispatcher to be affected.
          for (let round = 0; round < 3; round++) {
            expectUnavailable(await member.api.post(comments, { content: 'Held' }));
          }
        });
        await comment(member, project, 'After');
        await endpoint.waitFor((requests) => requests.some(({ body }) => body.includes('After')));
      } finally {
        await receiver.stop();
      }
    });
  });

  describe('with a pool of 3 connections', () => {
    useHangingWorld({ DATABASE_STATEMENT_TIMEOUT: '2', DATABASE_POOL_SIZE: '3' });

    it('answers GET /health/ready with 503 within 2 seconds', async () => {
      const health = (which: string): Promise<Response> =>
        fetch(`${new URL(hanging.world.server.baseUrl).origin}/health/${which}`);
      await whileHanging(async () => {
        const began = performance.now();
        const answers = await many(() => health('ready'));
        expect(performance.now() - began).toBeLessThan(2000);
        expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(503));
        expect((await health('live')).status).toBe(200);
      });
      while ((await health('ready')).status !== 200);
    });

    it('answers 503 to updates of a row that another connection keeps locked', async () => {
      const other = await new DataSource({
        type: 'mariadb',
        url: hanging.databaseUrl.replace(/^mysql:/, 'mariadb:'),
      }).initialize();
      const holder = other.createQueryRunner();
      try {
        await holder.startTransaction();
        await holder.query('SELECT id FROM issue WHERE id = ? FOR UPDATE', [project.issueId]);
        const began = performance.now();
        const answers = many(() => member.api.patch(`/issues/${project.issueKey}`, { summary: 'Changed' }));
        for (const answer of await answers) expectUnavailable(answer);
        expect(performance.now() - began).toBeLessThan(5000);
        expect((await member.api.get(comments)).status).toBe(200);
        // The server no longer waits for the row either.
        await eventually(
          () => serverStatements(other),
          (statements) => !statements.some(({ sql }) => sql.includes('FOR UPDATE')),
        );
        await holder.rollbackTransaction();
        expect((await member.api.patch(`/issues/${project.issueKey}`, { summary: 'Changed' })).status).toBe(
          200,
        );
      } finally {
        await holder.release();
        await other.destroy();
      }
    });
  });
});
