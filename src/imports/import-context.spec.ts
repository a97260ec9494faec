import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { headOf, jsonEntry, recordEntries, newContents } from '../archives/archive-entries';
import { ARCHIVE_ENTRIES } from '../archives/archive-format';
import { recordKinds } from '../archives/record-kinds';
import { writeArchive } from '../backup/archive/archive-file';
import { tarEnd } from '../backup/archive/tar';
import { loopTurns } from '../event-loop/loop-turns';
import { type ImportContext, recordsOf } from './import-context';

describe('recordsOf', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-context-'));
  const archive = join(folder, 'one.pms');

  afterAll(() => rmSync(folder, { recursive: true }));

  async function* entries(): AsyncGenerator<Buffer> {
    yield* jsonEntry(ARCHIVE_ENTRIES.head, headOf(undefined));
    yield* recordEntries(newContents(), { name: 'wiki', key: ['id'] }, Readable.from([{ id: 1 }, { id: 2 }]));
    yield tarEnd();
  }

  it('lets others have the event loop before it parses a record, and before the record is used', async () => {
    await writeArchive(archive, entries());
    const order: string[] = [];
    const parse = JSON.parse.bind(JSON);
    const spies = [
      vi.spyOn(JSON, 'parse').mockImplementation((text, ...rest) => {
        if (/^\{"id":\d\}$/.test(text)) order.push(`parse ${text}`);
        return parse(text, ...rest) as unknown;
      }),
      vi.spyOn(loopTurns, 'pauseInBackground').mockImplementation(async () => {
        order.push('pause');
        await Promise.resolve();
      }),
    ];
    try {
      const context = { archive, kinds: await recordKinds(), signal: new AbortController().signal };
      const lease = { requireHeld: () => undefined };
      const read = recordsOf({ ...context, lease } as unknown as ImportContext);
      for (let count = 0; count < 2; count++) {
        const { value } = await read.next();
        order.push(`use ${value?.record.id}`);
      }
      await read.return(undefined);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(order).toEqual([1, 2].flatMap((id) => ['pause', `parse {"id":${id}}`, 'pause', `use ${id}`]));
  });
});
