import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitFolder, WITH_GIT } from '../support/git';
import { addClonedProject, commitFile, pushFile } from '../support/served-git';
import { useWorld } from '../support/world';

const MIB = 1024 * 1024;

/** Mounts a disk of 24 MiB, which only root may do. Returns its folder, or undefined. */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'project-management-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder]);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

const disk = mountSmallDisk();

describe.runIf(disk)('a push on a full disk', () => {
  const tested = useWorld(() => ({ ...WITH_GIT, GIT_ROOT: join(disk as string, 'git') }));
  let folder: GitFolder;
  let clone: GitFolder;

  beforeAll(async () => {
    ({ folder, clone } = await addClonedProject(tested.world));
    await pushFile(clone, 'a.txt');
  });
  afterAll(async () => {
    await folder.remove();
  });
  afterAll(() => {
    execFileSync('umount', ['--lazy', disk as string]);
    rmSync(disk as string, { recursive: true });
  });

  it('reports that the disk filled up during the push', async () => {
    await writeFile(join(disk as string, 'filler'), Buffer.alloc(16 * MIB));
    await clone.git('checkout', '--quiet', '-b', 'large');
    await commitFile(clone, 'large', randomBytes(12 * MIB));
    const { code, stderr } = await clone.try('push', 'origin', 'large');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/remote: The disk of the server is full\. Refused refs are not stored/);
    expect(stderr).toMatch(/\[remote rejected\] large -> large/);
    expect(await clone.git('ls-remote', '--heads', 'origin')).not.toMatch('large');
  });

  it('returns 503 when the disk is already full', async () => {
    await writeFile(join(disk as string, 'filler'), Buffer.alloc(22 * MIB));
    await clone.git('checkout', '--quiet', 'main');
    await commitFile(clone, 'b.txt');
    const { code, stderr } = await clone.try('push', 'origin', 'main');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/remote: The disk of the server is full, so pushes are refused[^]*503/);
    await clone.git('fetch', '--quiet', 'origin');
  });
});
