import { randomBytes } from 'node:crypto';
import { type Environment, readEnvironment } from '../../../src/config/environment';
import { ApiClient } from '../../support/api';
import { createLastingTestDatabase, type LastingTestDatabase } from '../../support/database';
import { FUZZ_ENVIRONMENT } from '../../support/fuzz/population';
import { WITH_GIT } from '../../support/git';
import { type CommandResult, Commands } from '../../support/pms';
import { TemporaryFolder } from '../../support/sqlite';
import { applyTemplate } from '../../support/template';
import { World } from '../../support/world';

/** An empty instance of the service, into which sources are imported. */
export class ImportTarget {
  private readonly commands = new Commands();
  private world?: World;

  private constructor(
    readonly folder: TemporaryFolder,
    private readonly database: LastingTestDatabase,
    private readonly settings: Record<string, string>,
    private readonly key: string,
  ) {}

  static async make(): Promise<ImportTarget> {
    const database = await createLastingTestDatabase();
    await applyTemplate(database.url);
    const folder = new TemporaryFolder();
    const settings = {
      ...FUZZ_ENVIRONMENT,
      ...WITH_GIT,
      DATABASE_URL: database.url,
      STORAGE_URL: `file:${folder.file('files')}`,
      GIT_ROOT: folder.file('git'),
      IMPORT_ROOT: folder.file('imports'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    // The first start adds the administrator.
    const first = await World.start(settings);
    const { key } = first.admin;
    await first.stop();
    return new ImportTarget(folder, database, settings, key);
  }

  get environment(): Environment {
    return readEnvironment(this.settings);
  }

  /** Runs `pms import`. */
  import(...words: string[]): Promise<CommandResult> {
    return this.commands.run(['import', ...words], this.settings);
  }

  /** Starts the service, once, and returns its client. */
  async api(): Promise<ApiClient> {
    this.world ??= await World.start(this.settings);
    return new ApiClient(this.world.server.baseUrl, this.key);
  }

  async remove(): Promise<void> {
    await this.commands.stop();
    await this.world?.stop();
    await this.database.drop();
    this.folder.remove();
  }
}
