import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment } from '../config/environment';
import { ImportSpoolService } from './import-spool.service';

const SPOOL = '01234567-89ab-4def-8123-456789abcdef';

describe(ImportSpoolService.name, () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'import-partial.partial-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('removes old folders under the names that it gives, and no others', async () => {
    const [used, other] = [SPOOL.replace('0', '1'), SPOOL.replace('0', '2')];
    const others = [
      used,
      `${SPOOL.slice(0, 8)}.partial${SPOOL.slice(8)}`,
      `.partial${other}`,
      `${other}.partial.partial`,
    ];
    for (const name of [SPOOL, `${other}.partial`, ...others]) {
      await mkdir(join(root, name));
      await utimes(join(root, name), 0, 0);
    }
    await new ImportSpoolService({ IMPORT_ROOT: root } as Environment).removeUnused(new Set([used]));
    expect(await readdir(root)).toEqual([...others].sort());
  });
});
