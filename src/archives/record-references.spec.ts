import { idsIn } from '../../test/support/archives';
import { MANIFESTS } from '../manifests';
import { ActivityType } from '../activities/activity-type';
import { recordKinds, type RecordKind } from './record-kinds';
import { type IdMapping, withMappedIds } from './record-references';

describe('withMappedIds', () => {
  let kinds: readonly RecordKind[];

  beforeAll(async () => {
    kinds = await recordKinds();
  });

  const kindOf = (name: string): RecordKind => kinds.find((kind) => kind.name === name) as RecordKind;

  /** Adds 1000 to each number, and a letter to each text. */
  const shifted: IdMapping = (_kind, id) => (typeof id === 'number' ? id + 1000 : `${id}x`) as typeof id;

  it('replaces ids in fields, and in the values that the kind declares', async () => {
    const comment = {
      id: 1,
      threadId: 2,
      createdUserId: 3,
      agentKeyId: null,
      content: 'To <@U12>, <@T3>, <@project>, <@U0> and <@X1>',
      changeLog: [
        { field: 'attachment', attachmentInfo: { id: 4, name: 'a' }, attributeInfo: null },
        { field: 'Size', attachmentInfo: null, attributeInfo: { id: 5, typeId: '1' }, newValue: '<@U6>' },
      ],
    };
    expect(await withMappedIds(kindOf('comment'), comment, shifted)).toEqual({
      id: 1001,
      threadId: 1002,
      createdUserId: 1003,
      agentKeyId: null,
      content: 'To <@U1012>, <@T1003>, <@project>, <@U0> and <@X1>',
      changeLog: [
        { field: 'attachment', attachmentInfo: { id: 1004, name: 'a' }, attributeInfo: null },
        {
          field: 'Size',
          attachmentInfo: null,
          attributeInfo: { id: 1005, typeId: '1' },
          newValue: '<@U1006>',
        },
      ],
    });
  });

  it('replaces the ids of long texts, wherever they are divided', async () => {
    const wiki = kindOf('wiki');
    for (let length = 0; length < 7; length++) {
      const before = 'a'.repeat(length);
      const mapped = await withMappedIds(wiki, { content: before + '<@U12>'.repeat(20_000) }, shifted);
      expect(mapped.content === before + '<@U1012>'.repeat(20_000)).toBe(true);
    }
    const change = (ids: string) => ({ changes: [{ field: 'milestone', new_value: ids, old_value: '' }] });
    const list = (id: string): string => Array.from({ length: 20_000 }, () => id).join(', ');
    const activity = { type: ActivityType.IssueUpdated, content: change(list('12')) };
    expect((await withMappedIds(kindOf('activity'), activity, shifted)).content).toEqual(
      change(list('1012')),
    );
  });

  it('replaces ids in the changes of activities, but not in texts that look alike', async () => {
    const activity = {
      id: 1,
      type: ActivityType.IssueUpdated,
      content: {
        id: 2,
        key_id: 3,
        summary: '7',
        changes: [
          { field: 'milestone', new_value: '4, 5', old_value: '', type: 'standard' },
          { field: 'status', new_value: '3', old_value: '17', type: 'standard' },
          { field: 'summary', new_value: '6', old_value: '7', type: 'standard' },
        ],
      },
    };
    expect(await withMappedIds(kindOf('activity'), activity, shifted)).toMatchObject({
      id: 1001,
      content: {
        id: 1002,
        key_id: 3,
        summary: '7',
        changes: [
          { new_value: '1004, 1005', old_value: '' },
          { new_value: '3', old_value: '1017' },
          { new_value: '6', old_value: '7' },
        ],
      },
    });
  });

  it('replaces the ids of documents on the wire', async () => {
    const activity = {
      type: ActivityType.DocumentCommentCreated,
      content: { id: 'a', comment: { id: 'b' } },
    };
    expect((await withMappedIds(kindOf('activity'), activity, shifted)).content).toEqual({
      id: 'ax',
      comment: { id: 'bx' },
    });
    expect(await withMappedIds(kindOf('document'), { id: 1, uid: 'a' }, shifted)).toMatchObject({
      id: 1001,
      uid: 'ax',
    });
  });

  it('leaves the top folder, and a record whose ids stay the same, as they are', async () => {
    const file = { id: 1, folderId: 0, projectId: 2 };
    expect(await withMappedIds(kindOf('sharedFile'), file, shifted)).toMatchObject({ folderId: 0 });
    expect(JSON.stringify(await withMappedIds(kindOf('sharedFile'), file, (_kind, id) => id))).toBe(
      JSON.stringify(file),
    );
  });

  it('finds the ids in each type of activity', async () => {
    const samples = MANIFESTS.flatMap((manifest) => [
      ...Object.entries('activities' in manifest ? (manifest.activities ?? {}) : {}),
      ...Object.entries('developerActivities' in manifest ? (manifest.developerActivities ?? {}) : {}),
    ]);
    // The ids of priorities and resolutions are the same everywhere.
    const constant = ['priority', 'resolution'];
    const undeclared: string[] = [];
    for (const [type, sample] of samples) {
      const content = numbered(sample, constant);
      const found = await idsIn(kindOf('activity'), { type: Number(type), content });
      const seen = new Set(found.map(({ id }) => id));
      for (const { path, id } of idFieldsOf(content, constant))
        if (!seen.has(id)) undeclared.push(`${type}: ${path}`);
    }
    expect(undeclared).toEqual([]);
  });

  /** Returns JSON in which each field that is called like an id has another value. */
  function numbered(value: object, except: readonly string[]): object {
    let last = 100;
    const text = JSON.stringify(value, (name, one: unknown) => {
      if (except.includes(name)) return one;
      return isIdField(name) && one !== null ? (typeof one === 'number' ? ++last : `uid${++last}`) : one;
    });
    return JSON.parse(text) as object;
  }

  const isIdField = (name: string): boolean => /^id$|Id$/.test(name) && name !== 'userId';

  /** Returns the fields of JSON that are called like ids. */
  function idFieldsOf(
    value: object,
    except: readonly string[],
    path = '',
  ): { path: string; id: number | string }[] {
    return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
      if (except.includes(name)) return [];
      const here = `${path}/${name}`;
      if (typeof one === 'object' && one !== null) return idFieldsOf(one, except, here);
      return isIdField(name) && one !== null ? [{ path: here, id: one as number | string }] : [];
    });
  }
});
