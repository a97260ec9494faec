import { expectRefused } from '../support/refusals';
import { type ApiResponse } from '../support/api';
import { type Person, type ProjectFixture, pullRequestComments, World } from '../support/world';

const JSON_TYPE = 'application/json';

describe('request parsing', () => {
  let world: World;
  let project: ProjectFixture;
  /** A separate project, so that no event is pending while a test compares stored data. */
  let hookProject: ProjectFixture;
  let owner: Person;

  beforeAll(async () => {
    world = await World.start();
    project = await world.addProject();
    hookProject = await world.addProject();
    owner = await world.addMember(project, undefined, true);
    await world.join(hookProject, owner, true);
  });
  afterAll(() => world.stop());

  const post = (kind: 'comments' | 'webhooks', body: unknown, type?: string): Promise<ApiResponse<any>> => {
    const path =
      kind === 'comments' ? `/issues/${project.issueKey}/comments` : `/projects/${hookProject.key}/webhooks`;
    return owner.api.send('POST', path, body, type ? { 'Content-Type': type } : {});
  };

  describe('with a JSON body', () => {
    const hook = '"name":"Chat","hookUrl":"https://example.com/"';

    it('decodes escaped characters', async () => {
      const answer = await post(
        'comments',
        '{"content":"\\ud83d\\ude00 \\u00fc\\n"}',
        `${JSON_TYPE}; charset=utf-8`,
      );
      expect(answer.body.content).toBe('😀 ü\n');
    });

    it.each([
      ['a lone high surrogate', '{"content":"a\\ud83d"}', ['content']],
      ['a lone low surrogate', '{"content":"\\ude00a"}', ['content']],
      ['surrogates in the wrong order', '{"content":"\\ude00\\ud83d"}', ['content']],
      ['NUL', '{"content":"a\\u0000b"}', ['content']],
      ['null for a text', '{"content":null}', ['content']],
      ['a number for a text', '{"content":1}', ['content']],
      ['a boolean for a text', '{"content":true}', ['content']],
      ['a list for a text', '{"content":["a"]}', ['content']],
      ['an object for a text', '{"content":{"length":1}}', ['content']],
      ['null for a list', '{"content":"a","notifiedUserId":null}', ['notifiedUserId']],
      ['an object for a list', '{"content":"a","notifiedUserId":{"length":0}}', ['notifiedUserId']],
      ['a text for a list', '{"content":"a","notifiedUserId":"1"}', ['notifiedUserId']],
      ['an unsafe integer', '{"content":"a","notifiedUserId":[9007199254740993]}', ['notifiedUserId']],
      ['the integer 2^53', '{"content":"a","notifiedUserId":[9007199254740992]}', ['notifiedUserId']],
      [
        'a number beyond the range of a double',
        '{"content":"a","notifiedUserId":[1e400]}',
        ['notifiedUserId'],
      ],
      ['a negative id', '{"content":"a","attachmentId":[-1]}', ['attachmentId']],
      ['a __proto__ field', '{"content":"a","__proto__":{"notifiedUserId":[1]}}', ['__proto__']],
      ['a constructor field', '{"content":"a","constructor":{"prototype":{}}}', ['constructor']],
      [
        'fields named like methods of every object',
        '{"content":"a","toString":1,"hasOwnProperty":1}',
        ['toString', 'hasOwnProperty'],
      ],
      ['a field in another case', '{"Content":"a"}', ['Content', 'content']],
      ['a field with brackets', '{"content":"a","notifiedUserId[]":[1]}', ['notifiedUserId[]']],
      ['an apiKey field', '{"content":"a","apiKey":"x"}', ['apiKey']],
      ['a malformed field name', '{"content":"a","\\ud83d":1}', ['\ufffd']],
      ['a list as the body', '[{"content":"a"}]', ['']],
      ['a string as the body', '"content"', ['']],
      ['a number as the body', '1', ['']],
      ['null as the body', 'null', ['']],
      ['an empty body', '', ['content']],
      ['an unclosed brace', '{"content":"a"', ['']],
      ['single quotes', "{'content':'a'}", ['']],
      ['a trailing comma', '{"content":"a",}', ['']],
      ['two JSON values', '{"content":"a"}{"content":"b"}', ['']],
    ])('refuses %s with 400', async (_what, body, fields) => {
      await expectRefused(world, () => post('comments', body, JSON_TYPE), fields);
    });

    it('refuses bytes that are not UTF-8 with 400', async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"content":"a'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('"}'),
      ]);
      await expectRefused(world, () => post('comments', new Uint8Array(bytes), JSON_TYPE), ['']);
    });

    it('keeps a __proto__ field from changing Object.prototype', async () => {
      await post('webhooks', `{${hook},"__proto__":{"allEvent":true,"polluted":1}}`, JSON_TYPE);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      const { body } = await post('webhooks', `{${hook}}`, JSON_TYPE);
      expect(body.allEvent).toBe(false);
    });

    it('reports all problems in one response, each with its field', async () => {
      const body = { name: '', hookUrl: 'x', allEvent: 'yes', activityTypeIds: [0], colour: 1, size: 2 };
      const fields = Object.keys(body);
      await expectRefused(world, () => post('webhooks', body), fields);
    });
  });

  describe('with a query string', () => {
    it.each([
      ['a repeated parameter', 'count=1&count=2', ['count']],
      ['a list for a single value', 'count[]=1&count[]=2', ['count']],
      ['an invalid parameter besides an unknown one', 'count=0&colour=red', ['count']],
      ['an invalid percent escape', 'order=%zz', ['']],
      ['an escape that is not UTF-8', 'order=%ff', ['']],
    ])('refuses %s with 400', async (_what, query, fields) => {
      await expectRefused(world, () => owner.api.get(`${pullRequestComments(project)}?${query}`), fields);
    });

    it.each([
      ['an unknown parameter', 'colour=red'],
      ['several unknown parameters', 'count=1&colour=red&size=1'],
      ['a parameter in another case', 'Count=0'],
      ['__proto__ and constructor as parameters', '__proto__[count]=0&__proto__=1&constructor=1'],
    ])('ignores %s in a read', async (_what, query) => {
      const path = pullRequestComments(project);
      const plain = await owner.api.get(`${path}?count=1`);
      const { status, body } = await owner.api.get(`${path}?count=1&${query.replace('count=1&', '')}`);
      expect(status).toBe(200);
      expect(body).toEqual(plain.body);
    });

    it.each(['GET', 'HEAD'])(
      'ignores unknown parameters of %s on an operation without query parameters',
      async (method) => {
        const { status } = await owner.api.send(
          method,
          `/wikis/${project.wikiId}?projectIdOrKey=${project.key}`,
        );
        expect(status).toBe(200);
      },
    );

    it.each([
      '/issues',
      '/issues/count',
      '/space/activities',
      '/projects/KEY/activities',
      '/users/ID/activities',
    ])('refuses unknown parameters of GET %s with 400', async (path) => {
      const named = path.replace('KEY', project.key).replace('ID', String(owner.id));
      const { status, body } = await owner.api.get(`${named}?test=test&minid=1`);
      expect(status).toBe(400);
      expect(body).toEqual({
        errors: ['test', 'minid'].map((name) => ({
          message: `error.unknownParameter : ${name}`,
          code: 7,
          moreInfo: '',
        })),
      });
      expect((await owner.api.send('HEAD', `${named}?test=test`)).status).toBe(400);
      expect((await owner.api.get(`${named}?apiKey=${owner.key}`)).status).toBe(200);
    });

    it('refuses unknown parameters of a write with 400', async () => {
      const path = `/issues/${project.issueKey}/comments?colour=red&count=1`;
      await expectRefused(world, () => owner.api.post(path, { content: 'Hello' }), ['colour', 'count']);
      await expectRefused(world, () => owner.api.post(path, { content: 'Hello', colour: 1 }), [
        'colour',
        'count',
      ]);
      await expectRefused(world, () => owner.api.delete(`/issues/${project.issueKey}?content=a`), [
        'content',
      ]);
      const upload = new FormData();
      upload.set('file', new Blob(['a']), 'a.txt');
      await expectRefused(world, () => owner.api.post('/space/attachment?name=a', upload), ['name']);
    });

    describe('of a write', () => {
      const hook = 'name=Chat&hookUrl=https%3A%2F%2Fexample.com%2F';
      const add = (query: string, body?: unknown, type?: string): Promise<ApiResponse<any>> =>
        owner.api.send(
          'POST',
          `/projects/${hookProject.key}/webhooks?${query}`,
          body,
          type ? { 'Content-Type': type } : {},
        );
      const FORM = 'application/x-www-form-urlencoded';

      it.each<[string, string, unknown, string]>([
        [
          'all fields in the query string',
          `${hook}&allEvent=true&activityTypeIds[]=3&activityTypeIds[]=17`,
          undefined,
          JSON_TYPE,
        ],
        [
          'some fields besides a JSON body',
          `${hook}&activityTypeIds=3&activityTypeIds=17`,
          { allEvent: true },
          JSON_TYPE,
        ],
        [
          'some fields besides a form body',
          `${hook}&allEvent=true`,
          'activityTypeIds[]=3&activityTypeIds[]=17',
          FORM,
        ],
        [
          'fields with equal values in query string and body',
          `name=+Chat&hookUrl=https://example.com/&allEvent=true&activityTypeIds[1]=3&activityTypeIds[2]=17`,
          { name: 'Chat', hookUrl: 'https://example.com/', allEvent: true, activityTypeIds: [3, 17, 3] },
          JSON_TYPE,
        ],
      ])('accepts %s', async (_what, query, body, type) => {
        const { status, body: added } = await add(query, body, type);
        expect(status).toBe(201);
        expect(added).toMatchObject({
          name: 'Chat',
          hookUrl: 'https://example.com/',
          allEvent: true,
          activityTypeIds: [3, 17],
        });
      });

      it.each<[string, string, unknown, string[]]>([
        ['a field with different values in query string and body', hook, { name: 'Talk' }, ['name']],
        [
          'a list with another order in the body',
          `${hook}&activityTypeIds[]=3&activityTypeIds[]=17`,
          { activityTypeIds: [17, 3] },
          ['activityTypeIds'],
        ],
        [
          'a text where the body has a list',
          `${hook}&description=a`,
          { description: ['a'] },
          ['description', 'description'],
        ],
        [
          'several conflicting fields',
          `${hook}&allEvent=true`,
          { name: 'a', allEvent: false },
          ['name', 'allEvent'],
        ],
        ['an unknown field in query string and body', `${hook}&colour=red`, { colour: 'blue' }, ['colour']],
        ['an invalid value in query string and body', `${hook}&allEvent=1`, { allEvent: '1' }, ['allEvent']],
        ['a body that is not an object', hook, [], ['']],
      ])('refuses %s with 400', async (_what, query, body, fields) => {
        await expectRefused(world, () => add(query, body), fields);
      });

      it('limits the total number of entries in query string and body', async () => {
        const parameters = (count: number): string => 'x&'.repeat(count).slice(0, -1);
        const form = (count: number): string => 'x='.concat('&x='.repeat(count - 1));
        const json = (count: number): string => `[${'0,'.repeat(count - 1)}0]`;
        for (const [body, type] of [
          [form, FORM],
          [json, JSON_TYPE],
        ] as const) {
          expect((await add(parameters(1500), body(3501), type)).status).toBe(413);
          expect((await add(parameters(1500), body(3500), type)).status).toBe(400);
        }
      });

      it('excludes apiKey from the fields of the request', async () => {
        const path = `/issues/${project.issueKey}/comments?apiKey=${owner.key}&content=Hello`;
        expect((await world.anonymous.post(path)).status).toBe(201);
      });

      it('checks the rights of the caller before the parameters', async () => {
        const stranger = await world.addUser();
        const path = `/issues/${project.issueKey}/comments?content=Hello&colour=%zz`;
        expect((await world.anonymous.post(path)).status).toBe(401);
        expect((await stranger.api.post(path)).status).toBe(404);
        expect((await owner.api.post(path)).status).toBe(400);
      });
    });

    it('accepts all fields of POST, PATCH and DELETE requests without a body', async () => {
      const member = await world.addMember(project);
      const stranger = await world.addUser();
      const issueType = await owner.api.post(
        `/projects/${project.key}/issueTypes?name=Chore&color=%23990000`,
      );
      const [substitute] = (await owner.api.get(`/projects/${project.key}/issueTypes`)).body;
      const page = await owner.api.post('/wikis', { projectId: project.id, name: 'Gone', content: '' });
      const requests: [string, string, number][] = [
        ['POST', `/projects/${project.key}/users?userId=${stranger.id}`, 200],
        ['POST', `/projects/${project.key}/administrators?userId=${member.id}`, 200],
        ['DELETE', `/projects/${project.key}/administrators?userId=${member.id}`, 200],
        ['DELETE', `/projects/${project.key}/users?userId=${member.id}`, 200],
        [
          'DELETE',
          `/projects/${project.key}/issueTypes/${issueType.body.id}?substituteIssueTypeId=${substitute.id}`,
          200,
        ],
        ['DELETE', `/wikis/${page.body.id}?mailNotify=false`, 200],
        ['POST', `/stars?issueId=${project.issueId}`, 204],
        ['PATCH', `/issues/${project.issueKey}?priorityId=2&dueDate=`, 200],
      ];
      for (const [method, path, status] of requests) {
        expect([path, (await world.admin.api.send(method, path)).status]).toEqual([path, status]);
      }
    });

    it('treats an empty query string as none', async () => {
      expect((await owner.api.get(`${pullRequestComments(project)}?`)).status).toBe(200);
      expect((await owner.api.get(`${pullRequestComments(project)}?&&`)).status).toBe(200);
    });
  });
});
