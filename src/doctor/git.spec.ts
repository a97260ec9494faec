import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { findDamagedRefs } from './git';

/** A git during whose run its repository is removed. */
const REMOVING =
  '#!/bin/sh\ncase "$*" in *--version) echo git version 2.40.0 ;; *) rm -rf "$PWD"; exit 128 ;; esac\n';
/** A git that prints more than is read. */
const ENDLESS =
  '#!/bin/sh\ncase "$*" in *--version) echo git version 2.40.0 ;; *) exec cat /dev/zero ;; esac\n';

/** A database with one repository, without refs. */
const snapshot = {
  query: (sql: string) =>
    Promise.resolve(sql.includes('FROM git_repository r') ? [{ id: 7, wasPushed: 1 }] : []),
} as unknown as Snapshot;

describe('findDamagedRefs', () => {
  it.each([
    ['is removed meanwhile', REMOVING],
    ['has more refs than can be read', ENDLESS],
  ])('reports nothing for a repository that %s', async (_name, script) => {
    const root = await mkdtemp(join(tmpdir(), 'project-management-doctor-'));
    try {
      await mkdir(join(root, 'repositories/07/7.git'), { recursive: true });
      await writeFile(join(root, 'repositories/07/7.git/config'), '');
      await writeFile(join(root, 'git'), script, { mode: 0o700 });
      const environment = readEnvironment({ GIT_ROOT: root, GIT_PATH: join(root, 'git') });
      const found: unknown[] = [];
      for await (const damage of findDamagedRefs(snapshot, environment)) found.push(damage);
      expect(found).toEqual([]);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
