import { recordKinds, toRow } from '../archives/record-kinds';
import { expectedSchema } from '../backup/data/expected-tables';
import { furtherColumns } from './imported-records';

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
