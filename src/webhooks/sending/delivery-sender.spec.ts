import { formatSecret } from '../secrets/signature';
import { type WebhookSecretsService } from '../secrets/webhook-secrets.service';
import { type ClaimedDelivery, type DueEndpoint } from './delivery';
import { DeliverySender } from './delivery-sender';
import { type WebhookSender } from './webhook-sender';
import { slowDown, turnsOf } from '../../../test/support/slow-turns';

const SECRETS = Array.from({ length: 11 }, (_, index) => formatSecret(Buffer.alloc(24, index)));
const ENDPOINT = { webhookId: 1, hookUrl: 'https://example.com/', ownerIsDeveloper: true } as DueEndpoint;
const DELIVERY = { id: 1, messageId: 'msg_1', activityId: null, payload: '{}' } as ClaimedDelivery;

describe(DeliverySender.name, () => {
  afterEach(() => vi.restoreAllMocks());

  it('yields to the event loop before each signature of a body', async () => {
    await slowDown(10);
    const sender = new DeliverySender(
      { send: () => Promise.resolve({ response: '', error: '' }) } as unknown as WebhookSender,
      { signingSecrets: () => Promise.resolve(SECRETS) } as unknown as WebhookSecretsService,
    );
    const turns = await turnsOf(() => sender.send(ENDPOINT, { ...DELIVERY, texts: new Map() }, 0, 1));
    expect(turns).toBeGreaterThanOrEqual(SECRETS.length);
  });
});
