import { generateApiKey } from '../../src/users/api-key';
import { ApiKeysService, type NewApiKey } from '../../src/users/api-keys.service';
import { type World } from './world';

/** Adds a key with limits for a person and returns it. */
export async function addKey(
  world: World,
  { id }: { id: number },
  limits: Partial<NewApiKey>,
): Promise<string> {
  const key = generateApiKey();
  await world.write((manager) =>
    world.service(ApiKeysService).add(manager, id, key, { name: 'Limited', ...limits }),
  );
  return key;
}
