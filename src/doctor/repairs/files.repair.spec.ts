import { type FileStorage, type StoredFile } from '../../attachments/file-storage';
import { files } from './files.repair';
import { type RepairContext } from './repair';

const keyOf = (number: number): string =>
  `${number.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;

/** A storage of `known` files with a row, followed by `unknown` ones without, which were written at `written`. */
function contextOf(known: number, unknown: number, written = 0): RepairContext {
  function* list(): Generator<StoredFile> {
    for (let number = 0; number < known + unknown; number++) yield { key: keyOf(number), size: 1 };
  }
  const storage: Partial<Record<keyof FileStorage, unknown>> = {
    list,
    listIncomplete: () => [],
    writtenAt: () => Promise.resolve(written),
  };
  const snapshot = {
    stream: () => [],
    query: (_sql: string, keys: string[]) =>
      Promise.resolve(keys.filter((key) => parseInt(key, 16) < known).map((storageKey) => ({ storageKey }))),
  };
  return { storage, snapshot } as unknown as RepairContext;
}

async function linesOf(context: RepairContext): Promise<string[]> {
  const lines: string[] = [];
  for await (const found of files.find(context)) lines.push('note' in found ? found.note : found.line);
  return lines;
}

describe('the repair of files', () => {
  it('counts all files without a row before it refuses to remove them', async () => {
    await expect(linesOf(contextOf(101_000, 102_000))).rejects.toThrow(
      '102,000 files without a row, and only 101,000 with one',
    );
  });

  it('includes recent files in the count', async () => {
    await expect(linesOf(contextOf(20, 21, Date.now()))).rejects.toThrow('21 files without a row');
  });

  it('lists at most 100,000 files and says so', async () => {
    const lines = await linesOf(contextOf(102_000, 101_000));
    expect(lines.filter((line) => line.startsWith('The file '))).toHaveLength(100_000);
    expect(lines).toContain('Only 100,000 files of one run are listed: run it again for the rest.');
  });

  it('lists a few files without a row when no file has one', async () => {
    expect(await linesOf(contextOf(0, 10))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^The file /)]),
    );
  });
});
