import { randomBytes } from 'node:crypto';
import { openStorage } from '../../src/attachments/open-storage';
import { createBackup } from '../../src/backup/create-backup';
import { restoreBackup } from '../../src/backup/restore-backup';
import { readEnvironment } from '../../src/config/environment';
import { createLastingTestDatabase, type LastingTestDatabase } from './database';
import { TemporaryFolder } from './sqlite';
import { applyTemplate } from './template';
import { type Environment, World } from './world';

/** Services that tests start and stop on databases that last until the end of the test. */
export interface Installations {
  /** Returns the settings of a new installation. @param isMigrated false for an empty database */
  newSettings: (isMigrated?: boolean) => Promise<Environment>;
  start: (settings: Environment) => Promise<World>;
  /** Stops the service that was started last. */
  stop: () => Promise<void>;
  /** Restores a backup of one installation into another, and returns which keys are missing, if any are. */
  restore: (from: Environment, into: Environment) => Promise<string | undefined>;
}

/** Registers the clean-up of a suite's installations. */
export function useInstallations(): Installations {
  const folder = new TemporaryFolder();
  const databases: LastingTestDatabase[] = [];
  const worlds: World[] = [];

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
    for (const { drop } of databases.splice(0)) await drop();
  });
  afterAll(() => folder.remove());

  return {
    newSettings: async (isMigrated = true) => {
      const database = await createLastingTestDatabase();
      databases.push(database);
      if (isMigrated) await applyTemplate(database.url);
      const name = randomBytes(6).toString('hex');
      return {
        DATABASE_URL: database.url,
        STORAGE_URL: `file:${folder.file(name)}`,
        GIT_ROOT: folder.file(`${name}-git`),
      };
    },
    start: async (settings) => {
      const world = await World.start(settings);
      worlds.push(world);
      return world;
    },
    stop: async () => {
      await worlds.pop()?.stop();
    },
    restore: async (from, into) => {
      const [source, target] = [from, into].map((settings) => readEnvironment(settings)) as [
        ReturnType<typeof readEnvironment>,
        ReturnType<typeof readEnvironment>,
      ];
      const path = folder.file(`${randomBytes(6).toString('hex')}.tar.gz`);
      await createBackup({ environment: source, storage: openStorage(source), path });
      const { missingKeys } = await restoreBackup({
        environment: target,
        storage: openStorage(target),
        path,
      });
      return missingKeys;
    },
  };
}
