import { ModulesContainer } from '@nestjs/core';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { ACCESS_RULE, PUBLIC } from '../../src/access/access';
import { MCP_PATH } from '../../src/mcp/mcp.controller';
import { SCRIPT_PATH } from '../../src/pages/script';
import { STYLE_PATH } from '../../src/pages/style';
import { ApiKeysService } from '../../src/users/api-keys.service';
import { UsersController } from '../../src/users/users.controller';
import { documentedOperations } from '../support/conformance';
import { OPERATIONS, TESTED_OPERATIONS } from '../support/operations';
import { isPage, routesOf } from '../support/routes';
import { Browser } from '../support/sessions';
import { errorShape } from '../support/shapes';
import { type ProjectFixture, pullRequestComments, useWorld, World } from '../support/world';

/** The metadata of `@ApiExcludeController()`, for which `@nestjs/swagger` exports no name. */
const EXCLUDED = 'swagger/apiExcludeController';

/** Whether a path belongs to the documentation, or redirects to it. */
const isDocumentation = (path: string): boolean => path.startsWith('/api-docs') || path === '/';

/** The files that pages load. */
const PAGE_FILES = [`/${STYLE_PATH}`, `/${SCRIPT_PATH}`];

/** The pages that anybody may open. */
const PUBLIC_PAGES = [
  ...['/sign-in', '/sign-in/new-password', '/sign-in/second-factor'],
  ...['/sign-in/passkey', '/sign-in/second-factor/passkey'],
  ...['/password/:token', '/password/forgotten'],
  ...['/invitation/:token', '/invitation/:token/sso/:providerKey'],
  ...['/mail/unsubscribe/:token', '/mail/unsubscribe/:token/undo'],
  ...['/sign-in/sso/:providerKey', '/sign-in/sso/:providerKey/callback'],
];

/** Whether git or MCP uses a path, which is then not an operation of the API: their own tests check the credential. */
const isNoOperation = (path: string): boolean =>
  path.startsWith('/git/:projectKey/') || path === `/${MCP_PATH}` || isPage(path);

describe('authentication', () => {
  const tested = useWorld();
  let world: World;
  let project: ProjectFixture;
  const MYSELF = '/users/myself';

  beforeAll(async () => {
    world = tested.world;
    project = await world.addProject();
  });

  const ask = (headers: Record<string, string>, query = '') =>
    world.anonymous.send('GET', MYSELF + query, undefined, headers);

  it.each<[string, (key: string) => Record<string, string>, ((key: string) => string)?]>([
    ['as a bearer token', (key) => ({ Authorization: `Bearer ${key}` }), () => ''],
    [
      'as a bearer token with the scheme in lower case',
      (key) => ({ Authorization: `bearer ${key}` }),
      () => '',
    ],
    ['in X-API-Key', (key) => ({ 'X-API-Key': key }), () => ''],
    ['in Backlog-API-Key', (key) => ({ 'Backlog-API-Key': key }), () => ''],
    ['in the query string', () => ({}), (key) => `?apiKey=${key}`],
  ])('accepts an API key %s', async (_where, headers, query) => {
    const { key, id } = await world.addUser();
    const answer = await ask(headers(key), query?.(key));
    expect(answer.status).toBe(200);
    expect(answer.body.id).toBe(id);
  });

  it.each<[string, (key: string) => Record<string, string>, (key: string) => string]>([
    ['a request without a key', () => ({}), () => ''],
    ['an empty header', () => ({ 'X-API-Key': '' }), () => ''],
    ['an empty parameter', () => ({}), () => '?apiKey='],
    ['an unknown key', () => ({ 'X-API-Key': 'x'.repeat(54) }), () => ''],
    ['a key with one changed letter', (key) => ({ 'X-API-Key': flipped(key) }), () => ''],
    ['a key with an additional letter', (key) => ({ 'X-API-Key': `${key}x` }), () => ''],
    ['a key in another case', (key) => ({ 'X-API-Key': key.toUpperCase() }), () => ''],
    ['a key without its prefix', (key) => ({ 'X-API-Key': key.slice(4) }), () => ''],
    ['a bearer token without scheme', (key) => ({ Authorization: key }), () => ''],
    ['a key as a Basic password', (key) => ({ Authorization: `Basic ${btoa(`:${key}`)}` }), () => ''],
    ['a key in a parameter of another case', () => ({}), (key) => `?apikey=${key}`],
    [
      'a wrong bearer token besides a valid key',
      (key) => ({ Authorization: 'Bearer x', 'X-API-Key': key }),
      () => '',
    ],
    ['a key that contains SQL', () => ({ 'X-API-Key': `' OR 1=1 -- ${'x'.repeat(40)}` }), () => ''],
    ['a key of 10,000 characters', () => ({ 'X-API-Key': 'x'.repeat(10_000) }), () => ''],
  ])('answers 401 with WWW-Authenticate to %s', async (_what, headers, query) => {
    const { key } = await world.addUser();
    const answer = await ask(headers(key), query(key));
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(errorShape(11));
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  });

  it('stores only the hashes of API keys', async () => {
    const { key } = await world.addUser();
    const rows = await world.dataSource.query<{ key_hash: string }[]>('SELECT * FROM api_key');
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(rows.every((row) => /^[0-9a-f]{64}$/.test(row.key_hash))).toBe(true);
  });

  it('accepts several API keys of one user', async () => {
    const person = await world.addUser();
    const second = 'second-key-'.padEnd(40, 'x');
    await world.write((manager) =>
      world.service(ApiKeysService).add(manager, person.id, second, { name: 'second' }),
    );
    for (const key of [person.key, second]) {
      expect((await ask({ 'X-API-Key': key })).body.id).toBe(person.id);
    }
  });

  it('accepts the apiKey parameter on reads and writes', async () => {
    const path = `${pullRequestComments(project)}?count=1&apiKey=${world.admin.key}`;
    expect((await world.anonymous.get(path)).status).toBe(200);
    expect(
      (
        await world.anonymous.post(`/issues/${project.issueKey}/comments?apiKey=${world.admin.key}`, {
          content: 'x',
        })
      ).status,
    ).toBe(201);
  });

  it('omits the API key from the Link to the next page', async () => {
    const author = await world.addMember(project);
    for (let times = 0; times < 2; times++) await world.addComment(project.pullRequestThreadId, author);
    const answer = await world.anonymous.get(`${pullRequestComments(project)}?apiKey=${author.key}&count=1`);
    expect(answer.headers.get('link')).toMatch(/rel="next"/);
    expect(answer.headers.get('link')).not.toContain(author.key);
  });

  it('answers 401 without a key on every route that is not public', async () => {
    const base = new URL(world.server.baseUrl).pathname;
    const open = TESTED_OPERATIONS.filter(({ scope }) => scope === 'public').map(
      ({ method, path, isOutsideBasePath }) => `${method} ${isOutsideBasePath ? path : base + path}`,
    );
    const routes = routesOf(world).filter(
      ({ method, path }) =>
        !isDocumentation(path) &&
        !isNoOperation(path) &&
        !open.includes(`${method === 'HEAD' ? 'GET' : method} ${path}`),
    );
    expect(routes.length).toBeGreaterThanOrEqual(documentedOperations.length - open.length);
    for (const { method, path } of routes) {
      expect(path.startsWith(base)).toBe(true);
      // A parameter with a suffix has a pattern in parentheses.
      const below = path.slice(base.length).replace(/:\w+(?:\(.*?\))?/g, '1');
      const answer = await world.anonymous.send(method, below);
      expect({ method, below, status: answer.status }).toEqual({ method, below, status: 401 });
    }
  });

  it('requires the sign-in on every page that is not public', async () => {
    const pages = routesOf(world).filter(({ path }) => isPage(path) && !PAGE_FILES.includes(path));
    expect(pages.length).toBeGreaterThan(15);
    for (const { method, path } of pages) {
      const answer = await new Browser(world).send(method, path.replace(/:\w+/g, '1'));
      if (PUBLIC_PAGES.includes(path))
        expect([path, answer.status < 300]).toEqual([path, method !== 'POST' && path === '/sign-in']);
      else expect([path, answer.location?.split('?', 1)[0]]).toEqual([path, '/sign-in']);
    }
  });

  it('requires an access rule on every handler', () => {
    const handlers = [...handlersOf(world, true), ...handlersOf(world, false)];
    const rules = handlers.map(({ name, handler, controller }) => ({
      name,
      rule: (Reflect.getMetadata(ACCESS_RULE, handler) ??
        Reflect.getMetadata(ACCESS_RULE, controller)) as unknown,
    }));
    expect(rules.filter(({ rule }) => rule === undefined)).toEqual([]);
    const operations = new Set(handlersOf(world, true).map(({ name }) => name));
    const open = rules.filter(({ name, rule }) => rule === PUBLIC && operations.has(name));
    expect(open.map(({ name }) => name).sort()).toEqual(idsOf('public').sort());
  });

  it('has an entry in test/support/operations for every operation', () => {
    const documented = documentedOperations.map(({ operation }) => operation.operationId);
    const handlers = handlersOf(world, true).map(({ name }) => name);
    expect([...new Set([...documented, ...handlers])].sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  it('has a test body for exactly the operations that take one', () => {
    const withBody = TESTED_OPERATIONS.filter(({ body }) => body !== undefined).map(({ id }) => id);
    expect(withBody).toEqual(TESTED_OPERATIONS.filter(({ takesBody }) => takesBody).map(({ id }) => id));
  });

  it('refuses a route without an access rule, even to an Administrator', async () => {
    const handler = UsersController.prototype.getMyself;
    const rule: unknown = Reflect.getMetadata(ACCESS_RULE, handler);
    // The guard reads a route's rule once, so this needs a service that has not been called yet.
    const fresh = await World.start();
    Reflect.deleteMetadata(ACCESS_RULE, handler);
    try {
      expect((await fresh.admin.api.get(MYSELF)).status).toBe(403);
      expect((await fresh.anonymous.get(MYSELF)).status).toBe(401);
    } finally {
      Reflect.defineMetadata(ACCESS_RULE, rule, handler);
      await fresh.stop();
    }
    expect((await world.admin.api.get(MYSELF)).status).toBe(200);
  });
});

/** Returns the same key with one letter of its secret changed. */
const flipped = (key: string): string => key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11);

/** Returns the operations whose cases have a scope. */
const idsOf = (scope: string): string[] =>
  Object.keys(OPERATIONS).filter((id) => OPERATIONS[id]?.scope === scope);

interface Handler {
  name: string;
  handler: object;
  controller: object;
}

/** Returns every handler of every controller. */
/** @param ofOperations whether to return those of operations, or those of pages, git and MCP, which the document leaves out */
function handlersOf(world: World, ofOperations: boolean): Handler[] {
  const app = world.server.app as NestExpressApplication;
  return [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => {
      const controller = metatype as new () => unknown;
      if (Reflect.hasMetadata(EXCLUDED, controller) === ofOperations) return [];
      const prototype = controller.prototype as Record<string, object>;
      return Object.getOwnPropertyNames(prototype)
        .filter((name) => Reflect.hasMetadata(METHOD_METADATA, prototype[name] as object))
        .map((name) => ({ name, handler: prototype[name] as object, controller }));
    }),
  );
}
