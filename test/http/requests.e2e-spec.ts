import { expectRefused } from '../support/refusals';
import { type ApiResponse } from '../support/api';
import { type Person, type ProjectFixture, pullRequestComments, World } from '../support/world';

const JSON_TYPE = 'application/json';

describe('requests', () => {
  let world: World;
  let project: ProjectFixture;
  /** Another one, so that no event is on its way while a test looks at what is stored. */
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

  describe('as JSON', () => {
    const hook = '"name":"Chat","hookUrl":"https://example.com/"';

    it('read escapes as the characters they stand for', async () => {
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
      ['a truth value for a text', '{"content":true}', ['content']],
      ['a list for a text', '{"content":["a"]}', ['content']],
      ['an object for a text', '{"content":{"length":1}}', ['content']],
      ['null for a list', '{"content":"a","notifiedUserId":null}', ['notifiedUserId']],
      ['an object for a list', '{"content":"a","notifiedUserId":{"length":0}}', ['notifiedUserId']],
      ['a text for a list', '{"content":"a","notifiedUserId":"1"}', ['notifiedUserId']],
      ['an unsafe integer', '{"content":"a","notifiedUserId":[9007199254740993]}', ['notifiedUserId']],
      ['2^53', '{"content":"a","notifiedUserId":[9007199254740992]}', ['notifiedUserId']],
      ['a number beyond all', '{"content":"a","notifiedUserId":[1e400]}', ['notifiedUserId']],
      ['a negative id', '{"content":"a","attachmentId":[-1]}', ['attachmentId']],
      ['__proto__', '{"content":"a","__proto__":{"notifiedUserId":[1]}}', ['__proto__']],
      ['constructor', '{"content":"a","constructor":{"prototype":{}}}', ['constructor']],
      [
        'a method of every object',
        '{"content":"a","toString":1,"hasOwnProperty":1}',
        ['toString', 'hasOwnProperty'],
      ],
      ['a field in another case', '{"Content":"a"}', ['Content', 'content']],
      ['a field with brackets', '{"content":"a","notifiedUserId[]":[1]}', ['notifiedUserId[]']],
      ['an apiKey', '{"content":"a","apiKey":"x"}', ['apiKey']],
      ['a broken field name', '{"content":"a","\\ud83d":1}', ['\ufffd']],
      ['a list', '[{"content":"a"}]', ['']],
      ['a text', '"content"', ['']],
      ['a number', '1', ['']],
      ['null', 'null', ['']],
      ['nothing', '', ['content']],
      ['an open brace', '{"content":"a"', ['']],
      ['single quotes', "{'content':'a'}", ['']],
      ['a comma at the end', '{"content":"a",}', ['']],
      ['two values', '{"content":"a"}{"content":"b"}', ['']],
    ])('refuse %s', async (_what, body, fields) => {
      await expectRefused(world, () => post('comments', body, JSON_TYPE), fields);
    });

    it('refuse bytes that are no UTF-8', async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"content":"a'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('"}'),
      ]);
      await expectRefused(world, () => post('comments', new Uint8Array(bytes), JSON_TYPE), ['']);
    });

    it('do not let __proto__ reach any object', async () => {
      await post('webhooks', `{${hook},"__proto__":{"allEvent":true,"polluted":1}}`, JSON_TYPE);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      const { body } = await post('webhooks', `{${hook}}`, JSON_TYPE);
      expect(body.allEvent).toBe(false);
    });

    it('tell every problem at once, each naming its field', async () => {
      const body = { name: '', hookUrl: 'x', allEvent: 'yes', activityTypeIds: [0], colour: 1, size: 2 };
      const fields = Object.keys(body);
      await expectRefused(world, () => post('webhooks', body), fields);
    });
  });

  describe('with a query', () => {
    it.each([
      ['an unknown parameter', 'colour=red', ['colour']],
      ['an unknown one beside a known one', 'count=1&colour=red&size=1', ['colour', 'size']],
      ['another case', 'Count=1', ['Count']],
      ['a known one twice', 'count=1&count=2', ['count']],
      ['a list', 'count[]=1&count[]=2', ['count']],
      ['__proto__', '__proto__[count]=1', ['__proto__[count]']],
      ['a bad escape', 'order=%zz', ['']],
      ['an escape that spells no UTF-8', 'order=%ff', ['']],
    ])('refuse %s', async (_what, query, fields) => {
      await expectRefused(world, () => owner.api.get(`${pullRequestComments(project)}?${query}`), fields);
    });

    it('refuse any parameter where none is known', async () => {
      const path = `/issues/${project.issueKey}/comments?content=Hello&count=1`;
      await expectRefused(world, () => owner.api.post(path, { content: 'Hello' }), ['content', 'count']);
    });

    it('take an empty query for none', async () => {
      expect((await owner.api.get(`${pullRequestComments(project)}?`)).status).toBe(200);
      expect((await owner.api.get(`${pullRequestComments(project)}?&&`)).status).toBe(200);
    });
  });
});
