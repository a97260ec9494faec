import { setTimeout as sleep } from 'node:timers/promises';
import { ActivitiesService } from '../../src/activities/activities.service';
import { ActivityType } from '../../src/activities/activity-type';
import { issueActivities } from '../../src/issues/issue-activity-samples';
import { type DeliveryDetailDto, type DeliveryDto } from '../../src/webhooks/dto/delivery.dto';
import { type ApiResponse } from './api';
import { type Endpoint, type Listening, type Receiver, useReceiver } from './receiver';
import { type Person, type ProjectFixture, type Started, type World } from './world';

/** Settings that deliver to this machine, and retry immediately. */
export const QUICK_DELIVERY = {
  WEBHOOK_ALLOW: '127.0.0.0/8',
  WEBHOOK_POLL_INTERVAL: '20',
  WEBHOOK_RETRY_DELAYS: '0,0',
  WEBHOOK_CIRCUIT_FAILURES: '1000',
};

/** The same for several processes on one database, so that no process takes all deliveries. */
export const SHARED_DELIVERY = {
  ...QUICK_DELIVERY,
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  WEBHOOK_CONCURRENCY: '1',
};

/** The health of a webhook without failures, as the API shows it. */
export const HEALTHY = { enabled: true, pausedUntil: null, failures: 0, failingSince: null, reason: '' };

const LONGEST_WAIT_MS = 20_000;
const LOOK_INTERVAL_MS = 15;

/** A webhook whose deliveries are read as its owner. */
export class WebhookFixture {
  readonly path: string;

  constructor(
    readonly id: number,
    readonly project: ProjectFixture,
    readonly owner: Pick<Person, 'api'>,
  ) {
    this.path = `${webhooksOf(project)}/${id}`;
  }

  async secret(): Promise<string> {
    return (await this.owner.api.get<{ secret: string }>(`${this.path}/secret`)).body.secret;
  }

  /** Returns its deliveries, oldest first. */
  async deliveries(query = ''): Promise<DeliveryDto[]> {
    const { body } = await this.owner.api.get<DeliveryDto[]>(
      `${this.path}/deliveries?order=asc&count=100${query}`,
    );
    return body;
  }

  async delivery(id: number): Promise<DeliveryDetailDto> {
    return (await this.owner.api.get<DeliveryDetailDto>(`${this.path}/deliveries/${id}`)).body;
  }

  /** Returns the first delivery with its attempts, once it satisfies a condition. */
  firstDelivery(isWanted: (delivery: DeliveryDetailDto) => boolean): Promise<DeliveryDetailDto> {
    let id: number | undefined;
    return eventually(async () => {
      id ??= (await this.deliveries())[0]?.id;
      return id === undefined ? undefined : this.delivery(id);
    }, isWanted);
  }

  /** Returns the successful deliveries, once there are `count` of them. */
  delivered(count: number): Promise<DeliveryDto[]> {
    return eventually(
      () => this.deliveries('&state=delivered'),
      (delivered) => delivered.length === count,
    );
  }

  enable(): Promise<ApiResponse> {
    return this.owner.api.post(`${this.path}/enable`);
  }
}

/** Path of a project's webhooks. */
const webhooksOf = (project: ProjectFixture): string => `/projects/${project.key}/webhooks`;

/** Adds a webhook, for every event by default. */
export async function addWebhook(
  owner: Person,
  project: ProjectFixture,
  endpoint: Pick<Endpoint, 'url'>,
  fields: object = { allEvent: true },
): Promise<WebhookFixture> {
  const { status, body } = await owner.api.post<{ id: number }>(webhooksOf(project), {
    name: 'Chat',
    hookUrl: endpoint.url,
    ...fields,
  });
  if (status !== 201) throw new Error(`The webhook was refused: ${JSON.stringify(body)}`);
  return new WebhookFixture(body.id, project, owner);
}

/** Adds a comment to a project's issue: one event of type 3. */
export async function comment(
  person: Pick<Person, 'api'>,
  project: ProjectFixture,
  content = 'Hello',
): Promise<number> {
  const { status, body } = await person.api.post<{ id: number }>(`/issues/${project.issueKey}/comments`, {
    content,
  });
  if (status !== 201) throw new Error(`The comment was refused: ${JSON.stringify(body)}`);
  return body.id;
}

/** Disables a webhook: its events are kept and sent once it is enabled again. */
export const disable = (world: World, webhook: { id: number }): Promise<unknown> =>
  world.dataSource.query('UPDATE webhook_health SET enabled = ? WHERE webhook_id = ?', [false, webhook.id]);

/** Creates events of comments that the webhook receives once it is enabled, in one transaction. */
export async function keepEvents(world: World, webhook: WebhookFixture, count: number): Promise<void> {
  await disable(world, webhook);
  const type = ActivityType.IssueCommented;
  const activity = {
    projectId: webhook.project.id,
    type,
    content: issueActivities[type],
    author: world.admin,
  };
  await world.write(async (manager) => {
    for (let number = 0; number < count; number++)
      await world.service(ActivitiesService).record(manager, activity);
  });
}

/** Polls until the result satisfies a condition, and returns it. */
export async function eventually<T>(
  look: () => Promise<T | undefined>,
  isWanted: (found: T) => boolean,
): Promise<T> {
  const end = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && isWanted(found)) return found;
    if (Date.now() > end) throw new Error(`Not what was waited for: ${JSON.stringify(found)}`);
    await sleep(LOOK_INTERVAL_MS);
  }
}

/** A project for each test, and its administrator. */
export class AdministeredProject {
  project: ProjectFixture;
  owner: Person;

  constructor(private readonly started: Started) {}

  async setUp(): Promise<void> {
    this.project = await this.world.addProject();
    this.owner = await this.world.addMember(this.project, undefined, true);
  }

  get world(): World {
    return this.started.world;
  }

  /** Path of the project's webhooks. */
  get webhooks(): string {
    return webhooksOf(this.project);
  }
}

/** An administered project with a receiver for its events. */
export class DeliveringProject extends AdministeredProject {
  constructor(
    started: Started,
    private readonly listening: Listening,
  ) {
    super(started);
  }

  get receiver(): Receiver {
    return this.listening.receiver;
  }

  /** Adds a webhook, for every event by default. */
  addWebhook(endpoint: Pick<Endpoint, 'url'>, fields?: object): Promise<WebhookFixture> {
    return addWebhook(this.owner, this.project, endpoint, fields);
  }

  /** Comments on the issue as the owner: one event of type 3. */
  comment(content?: string): Promise<number> {
    return comment(this.owner, this.project, content);
  }

  /** Waits for an event at another webhook of the project, by which time every webhook has had its turn. */
  async eventSeenElsewhere(): Promise<void> {
    const other = this.receiver.endpoint();
    await this.addWebhook(other);
    await this.comment();
    await other.received(1);
  }
}

/** A delivering project with a webhook for every event. */
export class HookedProject extends DeliveringProject {
  endpoint: Endpoint;
  webhook: WebhookFixture;

  override async setUp(): Promise<void> {
    await super.setUp();
    this.endpoint = this.receiver.endpoint();
    this.webhook = await this.addWebhook(this.endpoint);
  }

  /** Creates events that the webhook receives once it is enabled. */
  keepEvents(count: number): Promise<void> {
    return keepEvents(this.world, this.webhook, count);
  }

  /** Returns the ids of new deliveries that are not sent, oldest first. */
  async keptDeliveries(count: number): Promise<number[]> {
    await this.keepEvents(count);
    return (await this.webhook.deliveries()).map(({ id }) => id);
  }

  /** Changes a delivery to a state that it would otherwise reach with time. */
  changeDelivery(id: number, column: string, value: number): Promise<unknown> {
    return this.world.dataSource.query(`UPDATE webhook_delivery SET ${column} = ? WHERE id = ?`, [value, id]);
  }
}

function forEachTest<T extends AdministeredProject>(tested: T): T {
  beforeEach(() => tested.setUp());
  return tested;
}

/** Adds a project for each test. */
export const useAdministeredProject = (started: Started): AdministeredProject =>
  forEachTest(new AdministeredProject(started));

/** Adds a project for each test, and starts a receiver unless there is one. */
export const useDeliveries = (started: Started, listening = useReceiver()): DeliveringProject =>
  forEachTest(new DeliveringProject(started, listening));

/** Adds a project with a webhook for each test, and starts a receiver. */
export const useWebhook = (started: Started): HookedProject =>
  forEachTest(new HookedProject(started, useReceiver()));
