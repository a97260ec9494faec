import { setTimeout as sleep } from 'node:timers/promises';
import { type DeliveryDetailDto, type DeliveryDto } from '../../src/webhooks/delivery/dto/delivery.dto';
import { type Endpoint } from './receiver';
import { type Person, type ProjectFixture, type World } from './world';

/** Delivers to this machine, and tries again at once. */
export const QUICK_DELIVERY = {
  WEBHOOK_ALLOW: '127.0.0.0/8',
  WEBHOOK_POLL_INTERVAL: '20',
  WEBHOOK_RETRY_DELAYS: '0,0',
  WEBHOOK_CIRCUIT_FAILURES: '1000',
};

const LONGEST_WAIT_MS = 20_000;
const LOOK_INTERVAL_MS = 15;

/** A webhook whose deliveries one person looks at. */
export class WebhookFixture {
  constructor(
    readonly id: number,
    readonly path: string,
    private readonly owner: Person,
  ) {}

  async secret(): Promise<string> {
    return (await this.owner.api.get<{ secret: string }>(`${this.path}/secret`)).body.secret;
  }

  /** Its deliveries, oldest first. */
  async deliveries(query = ''): Promise<DeliveryDto[]> {
    const { body } = await this.owner.api.get<DeliveryDto[]>(
      `${this.path}/deliveries?order=asc&count=100${query}`,
    );
    return body;
  }

  async delivery(id: number): Promise<DeliveryDetailDto> {
    return (await this.owner.api.get<DeliveryDetailDto>(`${this.path}/deliveries/${id}`)).body;
  }

  /** The first delivery with its attempts, as soon as it is as wanted. */
  firstDelivery(isWanted: (delivery: DeliveryDetailDto) => boolean): Promise<DeliveryDetailDto> {
    return eventually(async () => {
      const [first] = await this.deliveries();
      return first && this.delivery(first.id);
    }, isWanted);
  }
}

/** Adds a webhook, for every event unless said otherwise. */
export async function addWebhook(
  owner: Person,
  project: ProjectFixture,
  endpoint: Pick<Endpoint, 'url'>,
  fields: object = { allEvent: true },
): Promise<WebhookFixture> {
  const path = `/projects/${project.key}/webhooks`;
  const { status, body } = await owner.api.post<{ id: number }>(path, {
    name: 'Chat',
    hookUrl: endpoint.url,
    ...fields,
  });
  if (status !== 201) throw new Error(`The webhook was refused: ${JSON.stringify(body)}`);
  return new WebhookFixture(body.id, `${path}/${body.id}`, owner);
}

/** Adds a comment to a project's issue: one event of type 3. */
export async function comment(person: Person, project: ProjectFixture, content = 'Hello'): Promise<number> {
  const { status, body } = await person.api.post<{ id: number }>(`/issues/${project.issueKey}/comments`, {
    content,
  });
  if (status !== 201) throw new Error(`The comment was refused: ${JSON.stringify(body)}`);
  return body.id;
}

/** Keeps what happens from being sent until it is enabled again. */
export const disable = (world: World, webhook: { id: number }): Promise<unknown> =>
  world.dataSource.query('UPDATE webhook_health SET enabled = ? WHERE webhook_id = ?', [false, webhook.id]);

/** Looks until what is found is as wanted, and gives it. */
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
