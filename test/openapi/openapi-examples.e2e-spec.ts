import { type ParameterObject, type SchemaObject } from '../../src/openapi/openapi-types';
import { documentedOperations } from '../support/conformance';
import { World } from '../support/world';

/** What nothing is there for until a webhook has been sent something. */
const NEED_A_DELIVERY = ['getWebhookDelivery'];

const READS = documentedOperations
  .filter(({ method, path }) => method === 'get' && !path.startsWith('/health/'))
  .map(({ path, operation }) => ({
    name: operation.operationId ?? '',
    path,
    parameters: (operation.parameters ?? []) as ParameterObject[],
  }));

type Prefilled = string | number | (string | number)[] | Record<string, string>;

/** What the documentation page sends before anybody has typed anything, by name. An object is a parameter for each of its fields. */
function prefilled({ name, example, schema }: ParameterObject): [name: string, value: string][] {
  const { example: shown, default: usual } = (schema ?? {}) as SchemaObject;
  const value = (example ?? shown ?? usual ?? []) as Prefilled;
  if (typeof value === 'object' && !Array.isArray(value)) return Object.entries(value);
  return [value].flat().map((one) => [name, String(one)]);
}

/** The address of an operation in the words of its own examples. */
function addressOf(path: string, parameters: ParameterObject[]): string {
  const query = new URLSearchParams();
  let address = path;
  for (const parameter of parameters) {
    for (const [name, value] of prefilled(parameter)) {
      if (parameter.in === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
      else query.append(name, value);
    }
  }
  return query.size > 0 ? `${address}?${query.toString()}` : address;
}

describe('with their own examples, on a database with the demo project', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ DEMO_DATA: 'true' });
  });

  afterAll(() => world.stop());

  it.each(READS.filter(({ name }) => !NEED_A_DELIVERY.includes(name)))(
    '$name succeeds',
    async ({ path, parameters }) => {
      const { status, text } = await world.admin.api.download(addressOf(path, parameters));

      expect([status, text]).toEqual([200, expect.anything()]);
    },
  );

  it.each(READS.filter(({ name }) => NEED_A_DELIVERY.includes(name)))(
    '$name finds nothing',
    async ({ path, parameters }) => {
      expect((await world.admin.api.get(addressOf(path, parameters))).status).toBe(404);
    },
  );
});
