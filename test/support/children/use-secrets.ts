import { generateApiKey } from '../../../src/users/api-key';
import { Receiver } from '../receiver';
import { addWebhook, comment, eventually, QUICK_DELIVERY } from '../webhooks';
import { World } from '../world';

/** Performs the operations that involve secrets and keys, with all logging enabled, and prints the secrets at the end. */
async function useSecrets(): Promise<void> {
  const adminKey = generateApiKey();
  const encryptionKey = Buffer.alloc(32, 7).toString('base64');
  const world = await World.start({
    ...QUICK_DELIVERY,
    ADMIN_API_KEY: adminKey,
    ENCRYPTION_KEY: encryptionKey,
    LOG_LEVEL: 'trace',
  });
  const receiver = await Receiver.start();
  const project = await world.addProject();
  const owner = await world.addMember(project, undefined, true);
  const endpoint = receiver.endpoint({ isClosing: true }, { status: 500 }, { status: 410 });
  const webhook = await addWebhook(owner, project, endpoint);
  const secret = await webhook.secret();
  const rotated = await owner.api.post<{ secret: string }>(`${webhook.path}/secret/rotate`);
  await comment(owner, project);
  await endpoint.received(3);
  await webhook.firstDelivery(({ attempts }) => attempts.length === 3);
  await owner.api.send('GET', `/users/myself?apiKey=${owner.key}`, undefined, {
    Authorization: `Bearer ${owner.key}`,
  });
  await world.dataSource.query("UPDATE webhook SET secret = '00000000.AAAA' WHERE id = ?", [webhook.id]);
  await owner.api.post(`${webhook.path}/enable`);
  await comment(owner, project);
  await eventually(
    () => webhook.deliveries('&state=failed'),
    (failed) => failed.length === 2,
  );
  await owner.api.get(`${webhook.path}/secret`);
  await world.stop();
  await receiver.stop();
  process.stdout.write(
    `${JSON.stringify([secret, rotated.body.secret, owner.key, world.admin.key, adminKey, encryptionKey])}\n`,
  );
}

void useSecrets();
