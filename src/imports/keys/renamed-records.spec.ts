import { recordKinds } from '../../archives/record-kinds';
import { RenamedKeys } from './renamed-keys';
import { withRenamedKeys } from './renamed-records';

const keys = RenamedKeys.of([{ key: 'OLD', as: 'NEWER' }])!;

async function renamed(name: string, record: Record<string, unknown>): Promise<unknown> {
  const kind = (await recordKinds()).find((one) => one.name === name)!;
  return withRenamedKeys(kind, record, keys);
}

const documentOf = (text: string, code: string) => ({
  type: 'doc',
  content: [
    {
      type: 'paragraph',
      content: [
        { type: 'text', text },
        { type: 'text', text: code, marks: [{ type: 'code' }] },
      ],
    },
    { type: 'codeBlock', attrs: { language: null }, content: [{ type: 'text', text: code }] },
  ],
});

describe('withRenamedKeys', () => {
  it('changes the declared texts, and leaves titles and names', async () => {
    expect(await renamed('issue', { summary: 'OLD-1', description: 'OLD-1 `OLD-2`' })).toEqual({
      summary: 'OLD-1',
      description: 'NEWER-1 `OLD-2`',
    });
    for (const [kind, field] of [
      ['pullRequest', 'description'],
      ['wiki', 'content'],
      ['wikiVersion', 'content'],
      ['activityText', 'text'],
    ] as const) {
      const record = { name: 'OLD-1', summary: 'OLD-1', [field]: 'See OLD-1' };
      expect(await renamed(kind, record)).toEqual({ ...record, [field]: 'See NEWER-1' });
    }
    expect(await renamed('attachment', { name: 'OLD-1' })).toEqual({ name: 'OLD-1' });
  });

  it('names a kind for every text that may mention users', async () => {
    const kinds = await recordKinds();
    for (const { name, texts = [], fields } of kinds) {
      if (texts.length === 0) continue;
      const record = Object.fromEntries(fields.map((field) => [field.name, null]));
      // Only records of other kinds are returned as they are.
      expect([name, (await withRenamedKeys({ name, fields }, record, keys)) === record]).toEqual([
        name,
        false,
      ]);
    }
  });

  it('changes keys in change logs: in descriptions, and as values', async () => {
    const log = (field: string, newValue: string) => ({ field, newValue, originalValue: 'OLD-9' });
    expect(
      await renamed('comment', {
        content: '',
        changeLog: [
          log('parentIssue', 'OLD-1'),
          log('description', 'See OLD-1'),
          log('attachment', 'OLD-1 a.png'),
        ],
      }),
    ).toEqual({
      content: '',
      changeLog: [
        { field: 'parentIssue', newValue: 'NEWER-1', originalValue: 'NEWER-9' },
        { field: 'description', newValue: 'See NEWER-1', originalValue: 'NEWER-9' },
        { field: 'attachment', newValue: 'OLD-1 a.png', originalValue: 'NEWER-9' },
      ],
    });
  });

  it('changes texts in contents of activities', async () => {
    const text = { $text: 'digest' };
    const content = {
      summary: 'OLD-1',
      description: 'OLD-1',
      comment: { id: 1, content: 'See OLD-2' },
      changes: [{ field: 'description', new_value: 'See OLD-3', old_value: text, type: 'standard' }],
      link: [{ title: 'OLD-1' }],
      revisions: [{ rev: '1', comment: 'OLD-1' }],
    };
    expect(await renamed('activity', { content })).toEqual({
      content: {
        ...content,
        description: 'NEWER-1',
        comment: { id: 1, content: 'See NEWER-2' },
        changes: [{ field: 'description', new_value: 'See NEWER-3', old_value: text, type: 'standard' }],
      },
    });
  });

  it('changes documents outside of code, with their text', async () => {
    const json = JSON.stringify(documentOf('See OLD-1 ', 'OLD-2'));
    const expected = JSON.stringify(documentOf('See NEWER-1 ', 'OLD-2'));
    const plain = 'See NEWER-1 OLD-2\nOLD-2';
    expect(await renamed('document', { title: 'OLD-1', json, plain: 'See OLD-1 OLD-2\nOLD-2' })).toEqual({
      title: 'OLD-1',
      json: expected,
      plain,
    });
    expect(await renamed('documentComment', { json })).toEqual({ json: expected });
  });

  it('changes links of documents', async () => {
    const linked = (key: string) =>
      JSON.stringify({
        type: 'doc',
        content: [
          { type: 'text', text: 'here', marks: [{ type: 'link', attrs: { href: `https://x/view/${key}` } }] },
        ],
      });
    expect(await renamed('documentComment', { json: linked('OLD-1') })).toEqual({ json: linked('NEWER-1') });
  });

  it('leaves a document that cannot be read or is nested too deeply', async () => {
    const deep = `${'{"type":"doc","content":['.repeat(300)}{"text":"OLD-1"}${']}'.repeat(300)}`;
    for (const json of [
      'OLD-1',
      '"OLD-1"',
      '[{"text":"OLD-1"}]',
      deep,
      '{"content":[null,1],"marks":[null]}',
    ])
      expect(await renamed('documentComment', { json })).toEqual({ json });
  });

  it('changes titles of stars, no longer than the column', async () => {
    expect(await renamed('star', { title: '[OLD-1] About OLD-2' })).toEqual({
      title: '[NEWER-1] About OLD-2',
    });
    const title = `[OLD-1] ${'😀'.repeat(247)}`;
    const { title: changed } = (await renamed('star', { title })) as { title: string };
    expect([...changed].length).toBe(255);
  });
});
