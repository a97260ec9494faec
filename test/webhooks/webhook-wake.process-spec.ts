import { Logger } from '@nestjs/common';
import { createClient } from '@redis/client';
import { readEnvironment } from '../../src/config/environment';
import { DispatcherService } from '../../src/webhooks/sending/dispatcher.service';
import { WakeChannel } from '../../src/deliveries/wake-channel';
import { WebhookSettings } from '../../src/webhooks/sending/webhook-settings';
import { Child } from '../support/child';
import { createLastingTestDatabase } from '../support/database';
import { useReceiver } from '../support/receiver';
import { describeWithRedis, REDIS_URL, useRedisLine } from '../support/redis';
import { addWebhook, comment, disable, eventually, SHARED_DELIVERY, useWebhook } from '../support/webhooks';
import { useSharedDatabase, World } from '../support/world';
import { describeOnServer } from '../support/engines';

/** Longer than a test waits, so that no delivery is found by polling. */
const NO_POLL = {
  ...SHARED_DELIVERY,
  WEBHOOK_POLL_INTERVAL: '60000',
};
/** A Redis that refuses connections, with a password that must not be logged. */
const CLOSED_URL = 'redis://somebody:hidden-word@127.0.0.1:1';

const until = (isReached: () => boolean): Promise<unknown> =>
  eventually(
    () => Promise.resolve(isReached()),
    (isNow) => isNow,
  );

/** Captures the log from now on, without printing it. */
function listenToLog(): { warnings: string[]; notes: string[] } {
  const [warnings, notes]: [string[], string[]] = [[], []];
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(
    (...parts: unknown[]) => void warnings.push(parts.map(String).join(' ')),
  );
  vi.spyOn(Logger.prototype, 'log').mockImplementation(
    (...parts: unknown[]) => void notes.push(parts.map(String).join(' ')),
  );
  return { warnings, notes };
}

const settingsOf = (url: string, redisUrl = REDIS_URL): WebhookSettings =>
  new WebhookSettings(readEnvironment({ DATABASE_URL: url, REDIS_URL: redisUrl }));

const channelName = (url: string): string => settingsOf(url).wakeChannel;

afterEach(() => vi.restoreAllMocks());

describe('the name of the wake channel', () => {
  it('contains the name of the database, but not its host, user or password', () => {
    const name = channelName('mysql://one:word@db.internal:3306/tracker?ssl=true');
    expect(name).toBe('project-management-service:wake:tracker');
    expect(channelName('mariadb://two@10.0.0.1/tracker')).toBe(name);
  });
});

describe('the service with an unreachable Redis', () => {
  const listening = useReceiver();

  it('starts, delivers and stops, and logs one warning without credentials', async () => {
    const { warnings } = listenToLog();
    // Ignores the startup's warning about a missing git.
    const ofRedis = (): string[] => warnings.filter((warning) => warning.startsWith('Redis'));
    const world = await World.start({ ...NO_POLL, REDIS_URL: CLOSED_URL });
    const endpoint = listening.receiver.endpoint();
    try {
      const project = await world.addProject();
      await addWebhook(world.admin, project, endpoint);
      await comment(world.admin, project);
      await endpoint.received(1);
      await until(() => ofRedis().length > 0);
      await comment(world.admin, project);
      await endpoint.received(2);
    } finally {
      await world.stop();
    }
    expect(ofRedis()).toEqual([expect.stringMatching(/^Redis cannot be used .*ECONNREFUSED/)]);
    expect(warnings.join()).not.toMatch(/hidden-word|somebody/);
  });

  it('exits when it is stopped', async () => {
    const database = await createLastingTestDatabase();
    try {
      const settings = { ...NO_POLL, REDIS_URL: CLOSED_URL };
      const child = new Child('serve', database.url, JSON.stringify(settings));
      const lines: (string | undefined)[] = [];
      while (!lines.includes('ready') && !lines.includes(undefined)) lines.push(await child.nextLine());
      child.go();
      lines.push(...(await child.restOfLines()));
      expect(lines.filter((line) => !line?.includes('Redis cannot be used'))).toEqual(['ready']);
    } finally {
      await database.drop();
    }
  });
});

describeWithRedis('the wake channel on Redis (TEST_REDIS_URL)', () => {
  const watcher = createClient({ url: REDIS_URL, socket: { reconnectStrategy: false } });
  const redis = useRedisLine();
  const channels: WakeChannel[] = [];
  let databaseUrl: string;
  let counter = 0;

  beforeAll(() => watcher.connect());
  afterAll(() => watcher.destroy());
  beforeEach(() => {
    databaseUrl = `mysql://127.0.0.1/wake_${process.pid}_${++counter}`;
  });
  afterEach(() => Promise.all(channels.splice(0).map((channel) => channel.onApplicationShutdown())));

  /** Resolves when a number of processes listen on a channel. */
  const subscribers = (count: number, name = channelName(databaseUrl)): Promise<unknown> =>
    eventually(
      async () => (await watcher.pubSubNumSub([name]))[name],
      (found) => found === count,
    );

  /** Opens a process's channel, and counts the messages that it hears. */
  async function open(
    url = databaseUrl,
    redisUrl = REDIS_URL,
  ): Promise<{ channel: WakeChannel; heard: number }> {
    const channel = new WakeChannel(settingsOf(url, redisUrl));
    channels.push(channel);
    const ear = { channel, heard: 0 };
    channel.onHeard(() => ear.heard++);
    await channel.onApplicationBootstrap();
    return ear;
  }

  describe('a message', () => {
    it('reaches the other processes, but not its sender', async () => {
      const [first, second] = [await open(), await open()];
      await subscribers(2);
      first.channel.announce();
      await until(() => second.heard === 1);
      first.channel.announce();
      // The response to the second message, for which the shutdown waits, arrives after any echo of the first.
      await first.channel.onApplicationShutdown();
      expect(first.heard).toBe(0);
    });

    it('covers many commits at once, and contains only the id of its sender', async () => {
      const { channel } = await open();
      await subscribers(1);
      const messages: string[] = [];
      const listener = watcher.duplicate();
      await listener.connect();
      await listener.subscribe(channelName(databaseUrl), (message) => void messages.push(message));
      for (let number = 0; number < 100; number++) channel.announce();
      await until(() => messages.length > 0);
      await watcher.publish(channelName(databaseUrl), 'end');
      await until(() => messages.includes('end'));
      expect(messages).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'end']);
      listener.destroy();
    });

    it('reaches only services on the same database', async () => {
      const otherUrl = `${databaseUrl}_other`;
      const [sender, near, far] = [await open(), await open(), await open(otherUrl)];
      await subscribers(2);
      await subscribers(1, channelName(otherUrl));
      sender.channel.announce();
      await until(() => near.heard === 1);
      far.channel.announce();
      // As above.
      await far.channel.onApplicationShutdown();
      expect(far.heard).toBe(0);
    });

    it('goes out before the shutdown of its sender', async () => {
      const [first, second] = [await open(), await open()];
      await subscribers(2);
      first.channel.announce();
      await first.channel.onApplicationShutdown();
      await until(() => second.heard === 1);
    });
  });

  describe('the connection to Redis', () => {
    it('recovers by itself after an interruption, with one warning for each', async () => {
      const { warnings, notes } = listenToLog();
      const [far, near] = [await open(databaseUrl, redis.line.url), await open()];
      await subscribers(2);
      for (let times = 1; times <= 2; times++) {
        const refused = redis.line.refused;
        redis.line.cut();
        await until(() => redis.line.refused >= refused + 2);
        expect(warnings).toHaveLength(times);
        redis.line.restore();
        await until(() => notes.length === times);
        near.channel.announce();
        await until(() => far.heard === times);
        far.channel.announce();
        await until(() => near.heard === times);
      }
      expect(warnings).toHaveLength(2);
    });

    it('closes at shutdown without waiting for missing responses', async () => {
      const { channel } = await open(databaseUrl, redis.line.url);
      await subscribers(1);
      redis.line.mute();
      channel.announce();
      await channel.onApplicationShutdown();
      await until(() => redis.line.open === 0);
    });

    it('closes at shutdown while it is being made', async () => {
      const { channel } = await open(databaseUrl, redis.line.url);
      await channel.onApplicationShutdown();
      await until(() => redis.line.accepted === 1 && redis.line.open === 0);
    });
  });

  describe('the service', () => {
    const service = useSharedDatabase(() => ({ ...NO_POLL, REDIS_URL: redis.line.url }));
    const tested = useWebhook(service);
    let name: string;

    beforeEach(async () => {
      name = channelName(service.databaseUrl);
      await subscribers(1, name);
    });

    /** Makes an event's delivery due without notifying any process. */
    async function commentUnnoticed(): Promise<void> {
      const { world, webhook } = tested;
      await disable(world, webhook);
      await tested.comment();
      await world.dataSource.query('UPDATE webhook_health SET enabled = ?', [true]);
    }

    it('sends due deliveries when a message arrives', async () => {
      const near = await open(service.databaseUrl);
      await subscribers(2, name);
      await commentUnnoticed();
      near.channel.announce();
      await tested.endpoint.received(1);
    });

    it('delivers while Redis is away, and exchanges messages when it is back', async () => {
      const { warnings } = listenToLog();
      const near = await open(service.databaseUrl);
      await subscribers(2, name);
      redis.line.cut();
      await subscribers(1, name);
      await until(() => warnings.length === 1);
      await tested.comment();
      await tested.endpoint.received(1);
      redis.line.restore();
      await subscribers(2, name);
      await tested.comment();
      await until(() => near.heard > 0);
      await commentUnnoticed();
      near.channel.announce();
      await tested.endpoint.received(3);
    });

    describeOnServer('with another process on its database (TEST_DATABASE_URL)', () => {
      let other: Child;

      async function startOther(): Promise<void> {
        other = new Child('serve', service.databaseUrl, JSON.stringify({ ...NO_POLL, REDIS_URL }));
        expect(await other.nextLine()).toBe('ready');
        await subscribers(2, name);
      }

      afterEach(async () => {
        other.go();
        expect(await other.restOfLines()).toEqual([]);
      });

      it('hands over a committed delivery that it cannot send', async () => {
        await startOther();
        await tested.world.service(DispatcherService).beforeApplicationShutdown();
        await tested.comment();
        await tested.endpoint.received(1);
      });

      it('hands over unsent deliveries at shutdown', async () => {
        const { world, endpoint } = tested;
        endpoint.answerWith({ isHeld: true }, {});
        await tested.comment();
        await tested.comment();
        await eventually(
          () => world.dataSource.query<object[]>('SELECT id FROM webhook_delivery WHERE lease_until > 0'),
          (held) => held.length === 2,
        );
        await startOther();
        const stopping = world.service(DispatcherService).beforeApplicationShutdown();
        await endpoint.received(2);
        endpoint.release();
        await stopping;
      });
    });
  });
});
