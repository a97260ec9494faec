import { type ParameterObject, type SchemaObject } from '../../src/openapi/openapi-types';
import { documentedOperations } from '../support/conformance';
import { EXAMPLE_COMMIT } from '../../src/git-repositories/contents/dto/hash-property';
import { describeWithGit, WITH_GIT } from '../support/git';
import { importCommits } from '../support/git-history';
import { OPERATIONS } from '../support/operations';
import { World } from '../support/world';

/** Operations without data until a webhook has been sent something. */
const NEED_A_DELIVERY = ['getWebhookDelivery'];

const READS = documentedOperations
  .filter(({ method, path }) => method === 'get' && !path.startsWith('/health/'))
  .map(({ path, operation }) => ({
    name: operation.operationId ?? '',
    path,
    parameters: (operation.parameters ?? []) as ParameterObject[],
  }));

type Prefilled = string | number | (string | number)[] | Record<string, string>;

/** Returns the values that the documentation page sends without any input, by name. An object gives a parameter for each of its fields. */
function prefilled({ name, example, schema }: ParameterObject): [name: string, value: string][] {
  const { example: shown, default: usual } = (schema ?? {}) as SchemaObject;
  const value = (example ?? shown ?? usual ?? []) as Prefilled;
  if (typeof value === 'object' && !Array.isArray(value)) return Object.entries(value);
  return [value].flat().map((one) => [name, String(one)]);
}

/**
 * Returns the URL of an operation, filled from its own examples.
 * @param assigned ids that differ between engines, by parameter
 */
function addressOf(
  path: string,
  parameters: ParameterObject[],
  assigned: Readonly<Record<string, number>> = {},
): string {
  const query = new URLSearchParams();
  let address = path;
  for (const parameter of parameters) {
    for (const [name, example] of prefilled(parameter)) {
      const value = String(assigned[name] ?? example);
      if (parameter.in === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
      else query.append(name, value);
    }
  }
  return query.size > 0 ? `${address}?${query.toString()}` : address;
}

/** The commits to which the examples of operations on contents refer. */
const EXAMPLE_COMMITS = [
  {
    ref: 'refs/heads/main',
    message: 'DEMO-1 Add the search',
    author: 'Dana Developer <dana@example.com>',
    files: [{ path: 'README.md', content: '# Demo\n' }],
  },
  { ref: 'refs/heads/hello', files: [{ path: 'hello.txt', content: 'Hello\n' }] },
];

const needsGit = (name: string): boolean => OPERATIONS[name]?.withGit === true;

describe('a service with the demo project', () => {
  let world: World;
  let importId: number;

  beforeAll(async () => {
    world = await World.start({ DEMO_DATA: 'true' });
    await world.admin.api.post('/space/identityProviders', {
      key: 'keycloak',
      name: 'Keycloak',
      issuer: 'https://login.example.com/realms/main',
      clientId: 'tracker',
      clientSecret: 'client secret',
    });
    const form = new FormData();
    form.set('file', new Blob(['no archive']), 'projects.pms');
    importId = (await world.admin.api.post<{ id: number }>('/space/imports', form)).body.id;
  });

  afterAll(() => world.stop());

  it.each(READS.filter(({ name }) => !NEED_A_DELIVERY.includes(name) && !needsGit(name)))(
    'answers 200 to $name with its documented examples',
    async ({ path, parameters }) => {
      const { status, text } = await world.admin.api.download(addressOf(path, parameters, { importId }));

      expect([status, text]).toEqual([200, expect.anything()]);
    },
  );

  it.each(READS.filter(({ name }) => NEED_A_DELIVERY.includes(name)))(
    'answers 404 to $name before any delivery',
    async ({ path, parameters }) => {
      expect((await world.admin.api.get(addressOf(path, parameters))).status).toBe(404);
    },
  );
});

describeWithGit('a service with commits in the demo project', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ DEMO_DATA: 'true', ...WITH_GIT });
    const { body } = await world.admin.api.get<{ id: number }>('/projects/DEMO/git/repositories/demo');
    const [commit] = await importCommits(world, body.id, EXAMPLE_COMMITS);
    expect(commit).toBe(EXAMPLE_COMMIT);
  });

  afterAll(() => world.stop());

  it.each(READS.filter(({ name }) => needsGit(name)))(
    'answers 200 to $name with its documented examples',
    async ({ path, parameters }) => {
      const { status, body } = await world.admin.api.download(addressOf(path, parameters));

      expect([status, body]).toEqual([200, expect.anything()]);
    },
  );
});
