import { expectRefused } from '../support/refusals';
import { type ApiResponse } from '../support/api';
import { type Person, type ProjectFixture, World } from '../support/world';

const FORM = 'application/x-www-form-urlencoded';

describe('form parsing', () => {
  let world: World;
  let project: ProjectFixture;
  /** A separate project, so that no event is pending while a test compares stored data. */
  let hookProject: ProjectFixture;
  let owner: Person;
  let member: Person;

  beforeAll(async () => {
    world = await World.start();
    project = await world.addProject();
    hookProject = await world.addProject();
    owner = await world.addMember(project, undefined, true);
    await world.join(hookProject, owner, true);
    member = await world.addMember(project);
  });
  afterAll(() => world.stop());

  const post = (kind: 'comments' | 'webhooks', body: unknown, type?: string): Promise<ApiResponse<any>> => {
    const path =
      kind === 'comments' ? `/issues/${project.issueKey}/comments` : `/projects/${hookProject.key}/webhooks`;
    return owner.api.send('POST', path, body, type ? { 'Content-Type': type } : {});
  };

  const notified = (answer: ApiResponse<any>): number[] =>
    answer.body.notifications.map((notification: { user: { id: number } }) => notification.user.id);

  describe('with a URL-encoded body', () => {
    const hook = 'name=Chat&hookUrl=https%3A%2F%2Fexample.com%2F';

    it.each<[string, (first: number, second: number) => string]>([
      ['key[]=', (first, second) => `notifiedUserId[]=${first}&notifiedUserId[]=${second}`],
      ['key[0]=', (first, second) => `notifiedUserId[0]=${first}&notifiedUserId[1]=${second}`],
      ['escaped brackets', (first, second) => `notifiedUserId%5B%5D=${first}&notifiedUserId%5B%5D=${second}`],
      ['a repeated key=', (first, second) => `notifiedUserId=${first}&notifiedUserId=${second}`],
    ])('reads %s as a list', async (_how, list) => {
      const answer = await post('comments', `content=Hello&${list(member.id, owner.id)}`, FORM);
      expect(answer.status).toBe(201);
      expect(notified(answer)).toEqual([member.id, owner.id]);
    });

    it('reads a single key= as a list, and an empty key[]= as an empty list', async () => {
      expect(notified(await post('comments', `content=a&notifiedUserId=${member.id}`, FORM))).toEqual([
        member.id,
      ]);
      expect(notified(await post('comments', 'content=a&notifiedUserId[]=', FORM))).toEqual([]);
    });

    it('ignores an API key in the body, which is no credential', async () => {
      const body = `content=Hello&apiKey=${member.key}`;
      const answer = await post('comments', body, FORM);
      expect([answer.status, answer.body.createdUser.id]).toEqual([201, owner.id]);
      const { baseUrl } = world.server;
      const path = `${baseUrl}/issues/${project.issueKey}/comments`;
      const { status } = await fetch(path, { method: 'POST', body, headers: { 'Content-Type': FORM } });
      expect(status).toBe(401);
    });

    it('decodes plus signs, percent escapes and text beyond ASCII', async () => {
      const answer = await post('comments', 'content=a+b%2Bc%26d%3De%20%F0%9F%98%80 ü', FORM);
      expect(answer.body.content).toBe('a b+c&d=e 😀 ü');
    });

    it.each([
      ['true', true],
      ['false', false],
    ])('converts "%s" and digits to the type of their field', async (word, value) => {
      const body = `${hook}&description=${word}&allEvent=${word}&activityTypeIds[]=3&activityTypeIds[]=17`;
      const answer = await post('webhooks', body, `${FORM}; charset=UTF-8`);
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ description: word, allEvent: value, activityTypeIds: [3, 17] });
    });

    it('keeps digits in a text unchanged', async () => {
      expect((await post('comments', 'content=0123', FORM)).body.content).toBe('0123');
    });

    it.each([
      ['a repeated text', `${hook}&name=Other`, ['name']],
      ['a list for a text', 'name[]=Chat&name[]=Talk&hookUrl=https://example.com/', ['name']],
      ['a number for a boolean', `${hook}&allEvent=1`, ['allEvent']],
      ['a boolean in another case', `${hook}&allEvent=True`, ['allEvent']],
      ['an empty boolean', `${hook}&allEvent=`, ['allEvent']],
      ['a word for a number', `${hook}&activityTypeIds[]=one`, ['activityTypeIds']],
      ['a fraction', `${hook}&activityTypeIds[]=1.5`, ['activityTypeIds']],
      ['hexadecimal digits', `${hook}&activityTypeIds[]=0x1`, ['activityTypeIds']],
      ['an exponent', `${hook}&activityTypeIds[]=1e0`, ['activityTypeIds']],
      ['a space before a number', `${hook}&activityTypeIds[]=+1`, ['activityTypeIds']],
      ['a nested list', `${hook}&activityTypeIds[0][0]=1`, ['activityTypeIds[0]']],
      ['an object', `${hook}&activityTypeIds[a]=1`, ['activityTypeIds[a]']],
      ['an unknown key', `${hook}&colour=red`, ['colour']],
      [
        'a __proto__ key',
        `${hook}&__proto__=1&__proto__[allEvent]=true`,
        ['__proto__', '__proto__[allEvent]'],
      ],
      ['a constructor key', `${hook}&constructor[prototype][x]=1`, ['constructor[prototype][x]']],
      ['an invalid percent escape', `${hook}&description=%zz`, ['']],
      ['an incomplete percent escape', `${hook}&description=%e`, ['']],
      ['an escape that is not UTF-8', `${hook}&description=%ff`, ['']],
      ['an escaped surrogate', `${hook}&description=%ed%a0%80`, ['']],
      ['NUL', `${hook}&description=a%00b`, ['description']],
      ['an empty form', '', ['name', 'hookUrl']],
    ])('refuses %s with 400', async (_what, body, fields) => {
      await expectRefused(world, () => post('webhooks', body, FORM), fields);
    });

    it('refuses bytes that are not UTF-8 with 400', async () => {
      const bytes = Buffer.concat([Buffer.from('content='), Buffer.from([0xff, 0xfe])]);
      await expectRefused(world, () => post('comments', new Uint8Array(bytes), FORM), ['']);
    });

    it('refuses more than 1,000 ids in a list with 400', async () => {
      const ids = Array.from({ length: 1001 }, (_, index) => `notifiedUserId[]=${index + 1}`).join('&');
      await expectRefused(world, () => post('comments', `content=a&${ids}`, FORM), ['notifiedUserId']);
    });
  });

  describe('on an operation that takes no body', () => {
    const enable = async (body?: unknown, type?: string): Promise<ApiResponse<any>> => {
      const hooks = `/projects/${hookProject.key}/webhooks`;
      hookId ??= (await owner.api.post(hooks, { name: 'Chat', hookUrl: 'https://hooks.invalid/' })).body.id;
      return owner.api.send('POST', `${hooks}/${hookId}/enable`, body, type ? { 'Content-Type': type } : {});
    };
    let hookId: number | undefined;

    it.each([undefined, FORM, 'multipart/form-data; boundary=b'])(
      'accepts an empty body of type %s',
      async (type) => {
        expect((await enable('', type)).status).toBe(200);
      },
    );

    it('accepts a multipart form without fields, as older clients send', async () => {
      await enable();
      const enabled = await owner.api.send(
        'POST',
        `/projects/${hookProject.key}/webhooks/${hookId}/enable`,
        new FormData(),
      );
      expect(enabled.status).toBe(200);
      const removed = await owner.api.send(
        'DELETE',
        `/projects/${hookProject.key}/webhooks/${hookId}`,
        new FormData(),
      );
      expect(removed.status).toBe(200);
      hookId = undefined;
    });

    it('refuses a multipart form with a field with 400', async () => {
      await enable();
      const data = new FormData();
      data.append('a', '1');
      const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
      await expectRefused(world, () => enable(data), ['']);
      await expectRefused(world, () => enable(part, 'multipart/form-data; boundary=b'), ['']);
    });

    it.each([
      ['a form', 'colour=red&size[]=1', FORM],
      ['JSON', { colour: 'red' }, undefined],
      ['an empty JSON object', {}, undefined],
      ['another content type', 'colour=red', 'text/plain'],
    ])('refuses %s with 400', async (_what, body, type) => {
      await enable();
      await expectRefused(world, () => enable(body, type), ['']);
    });
  });

  describe('with a multipart body', () => {
    const form = (...fields: [string, string | Blob][]): FormData => {
      const data = new FormData();
      for (const [name, value] of fields) data.append(name, value);
      return data;
    };

    it('reads texts, booleans and lists', async () => {
      const answer = await post(
        'webhooks',
        form(
          ['name', 'Größe 😀'],
          ['hookUrl', 'https://example.com/?a=1&b=%20'],
          ['allEvent', 'true'],
          ['activityTypeIds[]', '3'],
          ['activityTypeIds[1]', '17'],
        ),
      );
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        name: 'Größe 😀',
        hookUrl: 'https://example.com/?a=1&b=%20',
        allEvent: true,
        activityTypeIds: [3, 17],
      });
    });

    it.each<[string, [string, string | Blob][], string[]]>([
      ['a file', [['content', new Blob(['Hello'])]], ['content']],
      [
        'an unknown field',
        [
          ['content', 'a'],
          ['colour', 'red'],
        ],
        ['colour'],
      ],
      [
        'a repeated text',
        [
          ['content', 'a'],
          ['content', 'b'],
        ],
        ['content'],
      ],
      ['NUL', [['content', 'a\0b']], ['content']],
      [
        'a name of 201 characters',
        [
          ['content', 'a'],
          ['x'.repeat(201), 'b'],
        ],
        ['x'.repeat(100)],
      ],
      ['an empty form', [], ['content']],
    ])('refuses %s with 400', async (_what, fields, problems) => {
      await expectRefused(world, () => post('comments', form(...fields)), problems);
    });

    const part = (bytes: number[]): Uint8Array<ArrayBuffer> =>
      new Uint8Array(
        Buffer.concat([
          Buffer.from('--b\r\nContent-Disposition: form-data; name="content"\r\n\r\n'),
          Buffer.from(bytes),
          Buffer.from('\r\n--b--\r\n'),
        ]),
      );

    it('refuses bytes that are not UTF-8 with 400', async () => {
      await expectRefused(
        world,
        () => post('comments', part([0x61, 0xff, 0xfe]), 'multipart/form-data; boundary=b'),
        [''],
      );
    });

    it('refuses a truncated form with 400', async () => {
      const cut = part([0x61]).slice(0, -10);
      await expectRefused(world, () => post('comments', cut, 'multipart/form-data; boundary=b'), ['']);
    });

    it('refuses a form without a boundary with 400', async () => {
      await expectRefused(world, () => post('comments', part([0x61]), 'multipart/form-data'), ['']);
    });
  });
});
