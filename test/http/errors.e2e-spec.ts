import { RoleType } from '../../src/access/role-type';
import { ProjectPeopleService } from '../../src/projects/project-people.service';
import { PullRequestCommentsService } from '../../src/pull-requests/comments/pull-request-comments.service';
import { type UserDto } from '../../src/users/dto/user.dto';
import { MAX_BODY_SIZE } from '../../src/http/request/request-body';
import { everythingStored } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, World } from '../support/world';

describe('error handling', () => {
  let world: World;
  let project: ProjectFixture;
  let member: Person;
  let comments: string;

  beforeAll(async () => {
    world = await World.start({ SPACE_CAPACITY: '1000' });
    project = await world.addProject();
    member = await world.addMember(project);
    comments = `/issues/${project.issueKey}/comments`;
  });
  afterAll(() => world.stop());
  afterEach(() => vi.restoreAllMocks());

  const origin = (): string => new URL(world.server.baseUrl).origin;

  it.each([
    ['an unknown path', '/nosuch'],
    ['the base path itself', ''],
    ['the base path with a slash', '/'],
    ['a path in another case', '/Users/myself'],
    ['a path that continues after an operation', '/users/myself/more'],
    ['an empty segment', '/issues//comments'],
    ['an invalid percent escape', '/issues/%zz/comments'],
    ['an escape that is not UTF-8', '/issues/%ff%fe/comments'],
    ['an encoded slash', '/issues/a%2Fb/comments'],
  ])('answers 404 with code 6 to %s', async (_what, path) => {
    const answer = await member.api.post(path, { content: 'Hello' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(errorShape(6));
  });

  it('answers 404 with code 6 outside the base path', async () => {
    for (const path of ['/health', '/nosuch', '/api/v1/users/myself']) {
      const response = await fetch(origin() + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual(errorShape(6));
    }
  });

  it.each<[string, string, (project: ProjectFixture) => string, string]>([
    ['DELETE', 'a list of comments', pullRequestComments, 'GET, HEAD, POST'],
    [
      'POST',
      'a list of attachments',
      (own) => pullRequestComments(own).replace(/comments$/, 'attachments'),
      'GET, HEAD',
    ],
    ['GET', 'an upload', () => '/space/attachment', 'POST'],
    ['PUT', 'a comment', (own) => `${pullRequestComments(own)}/1`, 'PATCH'],
    ['PUT', 'the current user', () => '/users/myself', 'DELETE, GET, HEAD, PATCH'],
  ])('answers 405 with code 7 and Allow to %s on %s', async (method, _what, path, allow) => {
    const answer = await member.api.send(method, path(project));
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.body).toEqual(errorShape(7));
  });

  it('answers 405 with Allow on a public path', async () => {
    const response = await fetch(`${origin()}/health/live`, { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  it.each([
    ['JSON', 'application/json', '\\ud83d\\ude00'],
    ['a form', 'application/x-www-form-urlencoded', '%F0%9F%98%80'],
  ])(
    'accepts the longest texts of an issue as %s that escapes every character',
    async (_what, type, emoji) => {
      const texts = { summary: 255, description: 100_000, comment: 50_000 };
      const escaped = Object.entries(texts).map(([name, length]) => [name, emoji.repeat(length)]);
      const body = type.endsWith('json')
        ? `{${escaped.map(([name, text]) => `"${name}":"${text}"`).join()}}`
        : escaped.map(([name, text]) => `${name}=${text}`).join('&');
      const path = `/issues/${project.issueKey}`;
      const answer = await member.api.send('PATCH', path, body, { 'Content-Type': type });
      expect(answer.status).toBe(200);
      expect((answer.body as { description: string }).description).toBe('😀'.repeat(100_000));
    },
  );

  const over = 'x'.repeat(MAX_BODY_SIZE);

  it.each<[string, () => string | FormData, string | undefined]>([
    ['JSON over the size limit', () => JSON.stringify({ content: over }), 'application/json'],
    ['a form over the size limit', () => `content=${over}`, 'application/x-www-form-urlencoded'],
    ['a multipart form over the size limit', () => multipart('content', over), undefined],
    [
      'a multipart form with 10,001 fields',
      () => multipart('notifiedUserId[]', ...Array<string>(10_001).fill('1')),
      undefined,
    ],
  ])('answers 413 with code 10 to %s', async (_what, body, type) => {
    const before = await everythingStored(world);
    const answer = await member.api.send('POST', comments, body(), type ? { 'Content-Type': type } : {});
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual(errorShape(10));
    expect(await everythingStored(world)).toEqual(before);
  });

  it('accepts a body of exactly the size limit', async () => {
    const body = JSON.stringify({ content: 'Hello' }).padEnd(MAX_BODY_SIZE);
    const answer = await member.api.send('POST', comments, body, { 'Content-Type': 'application/json' });
    expect(answer.status).toBe(201);
  });

  it.each([
    ['the type text/plain', 'text/plain', '{"content":"Hello"}'],
    ['the type application/xml', 'application/xml', '<content>Hello</content>'],
    ['the type application/json-patch+json', 'application/json-patch+json', '[]'],
    ['no content type', '', '{"content":"Hello"}'],
    ['the type "constructor"', 'constructor', '{"content":"Hello"}'],
  ])('answers 400 with code 7 to a body with %s', async (_what, type, body) => {
    const bytes = new TextEncoder().encode(body);
    const answer = await member.api.send('POST', comments, bytes, type ? { 'Content-Type': type } : {});
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['Content-Type']));
  });

  it('answers 413 with code 8 to an upload over SPACE_CAPACITY, storing nothing', async () => {
    await world.addUpload(member, 'x'.repeat(600));
    const before = await everythingStored(world);
    const answer = await member.api.upload('x'.repeat(401));
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual(errorShape(8));
    expect(await everythingStored(world)).toEqual(before);
    expect((await member.api.upload('x'.repeat(400))).status).toBe(200);
    expect((await member.api.upload('x')).status).toBe(413);
  });

  it('answers 400 with code 7 when a notified user is removed before the write', async () => {
    const people = world.service(ProjectPeopleService);
    const found = await people.peopleOf(
      project.id,
      { id: member.id, roleType: RoleType.NormalUser },
      {},
      { text: '' },
    );
    const author = found.users.get(member.id) as UserDto;
    const removed = { ...author, id: 999_999 };
    vi.spyOn(people, 'peopleOf').mockResolvedValue({
      users: new Map([...found.users, [removed.id, removed]]),
      notified: [removed],
    });
    const before = await everythingStored(world);
    const { status, body } = await member.api.post(pullRequestComments(project), { content: 'Hello' });
    expect(status).toBe(400);
    expect(body).toEqual(errorShape(7));
    expect(await everythingStored(world)).toEqual(before);
  });

  it('answers 500 without internal details when a service throws an error', async () => {
    const secret = "secret: SELECT * FROM user at /srv/app.ts:1 ECONNREFUSED 'x'";
    vi.spyOn(world.service(PullRequestCommentsService), 'list').mockRejectedValue(new TypeError(secret));
    const { status, body } = await member.api.get(pullRequestComments(project));
    expect(status).toBe(500);
    expect(body).toEqual({ errors: [{ message: 'Internal error.', code: 1, moreInfo: '' }] });
    vi.restoreAllMocks();
    expect((await member.api.get(pullRequestComments(project))).status).toBe(200);
  });

  it.each([
    ['a string', 'secret'],
    ['undefined', undefined],
    ['an object shaped like a response', { status: 418, message: 'secret', body: 'secret' }],
  ])('answers 500 without internal details when a service throws %s', async (_what, thrown) => {
    vi.spyOn(world.service(PullRequestCommentsService), 'list').mockRejectedValue(thrown);
    const { status, body } = await member.api.get(pullRequestComments(project));
    expect(status).toBe(500);
    expect(body).toEqual({ errors: [{ message: 'Internal error.', code: 1, moreInfo: '' }] });
  });

  it.each(['from-the-proxy.1', '3e4eeb3c-07c2-43d2-a5d0-181fb984da4c', 'a'.repeat(128)])(
    'returns the X-Request-Id %s of the client',
    async (id) => {
      const { headers } = await member.api.send('GET', '/nosuch', undefined, { 'X-Request-Id': id });
      expect(headers.get('x-request-id')).toBe(id);
    },
  );

  it.each(['a b', '<script>', 'a'.repeat(129), 'é', '"', 'one, two'])(
    'replaces the invalid X-Request-Id %s',
    async (id) => {
      const { headers } = await member.api.send('GET', '/nosuch', undefined, { 'X-Request-Id': id });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('sends X-Request-Id and nosniff, but no X-Powered-By', async () => {
    const { headers } = await member.api.get('/nosuch');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

function multipart(name: string, ...values: string[]): FormData {
  const form = new FormData();
  for (const value of values) form.append(name, value);
  return form;
}
