import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { restoreDraftOf } from '../../database/sqlite/restore-draft';
import { BackupError } from '../backup.error';
import { openEmbeddedTarget } from './embedded-target';

describe(openEmbeddedTarget.name, () => {
  it('refuses to publish a database whose log could not be copied', async () => {
    const folder = new TemporaryFolder();
    const path = folder.file('service.db');
    const target = await openEmbeddedTarget({ DATABASE_URL: `sqlite:${path}`, DATABASE_POOL_SIZE: 1 });
    const destroy = target.dataSource.destroy.bind(target.dataSource);
    vi.spyOn(target.dataSource, 'destroy').mockImplementation(async () => {
      await destroy();
      writeFileSync(`${restoreDraftOf(path)}-wal`, 'the rest');
    });
    await expect(target.commit()).rejects.toThrow(BackupError);
    expect(existsSync(path)).toBe(false);
    await target.abandon();
    expect(readdirSync(folder.path).filter((name) => name.includes('restore'))).toEqual([]);
    folder.remove();
  });
});
