import { type RecordKind, recordKinds, toRow } from '../archives/record-kinds';
import { expectedSchema } from '../backup/data/expected-tables';
import { type PlannedContext } from './import-context';
import { furtherColumns, inSpace } from './imported-records';

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
  it('counts the size of a document, whatever the archive says', () => {
    const context = {
      ids: { map: (_kind: RecordKind, record: object) => record },
      run: { options: { keepsAccounts: true } },
    } as unknown as PlannedContext;
    const record = { json: '{"type":"doc"}', plain: 'text', size: 1 };
    expect(inSpace(context, { name: 'document' } as RecordKind, record)).toEqual({ ...record, size: 18 });
  });
});
