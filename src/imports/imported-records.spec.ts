import { type RecordKind, recordKinds, toRow } from '../archives/record-kinds';
import { expectedSchema } from '../backup/data/expected-tables';
import { type PlannedContext } from './import-context';
import { furtherColumns, inSpace } from './imported-records';
import { RenamedKeys } from './keys/renamed-keys';

describe('furtherColumns', () => {
  it('fills every column that no record has and that needs a value', async () => {
    const { tables } = await expectedSchema();
    const missing = (await recordKinds())
      // People are added by their own service.
      .filter(({ name }) => name !== 'user')
      .flatMap((kind) => {
        const row = toRow(kind, Object.fromEntries(kind.fields.map(({ name }) => [name, null])));
        const filled = { ...row, ...furtherColumns(kind.name, { ...row, id: 1 }, 1, () => 'key') };
        const table = tables.get(kind.table)!;
        return table.columns
          .filter(({ name }) => !(name in filled) && !table.nullable.has(name))
          .map(({ name }) => `${kind.name}: ${name}`);
      });
    expect(missing).toEqual([]);
  });
});

describe('inSpace', () => {
  it('counts the size of a document with its new keys, whatever the archive says', async () => {
    const kind = (await recordKinds()).find(({ name }) => name === 'document')!;
    const context = {
      ids: { map: (_kind: RecordKind, record: object) => Promise.resolve(record) },
      keys: RenamedKeys.of([{ key: 'OLD', as: 'NEWER' }]),
      run: { options: { keepsAccounts: true } },
    } as unknown as PlannedContext;
    const json = (text: string): string =>
      JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] });
    const [after, plain] = [json('See NEWER-1'), 'See NEWER-1'];
    expect(
      await inSpace(context, kind, {
        json: json('See OLD-1'),
        plain: 'See OLD-1',
        size: 1,
      }),
    ).toEqual({ json: after, plain, size: after.length + plain.length });
  });
});
