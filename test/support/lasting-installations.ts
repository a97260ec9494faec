import { randomBytes } from 'node:crypto';
import { createLastingTestDatabase, type LastingTestDatabase } from './database';
import { type TemporaryFolder } from './sqlite';
import { applyTemplate } from './template';

/** The settings of installations that outlast the services that run them: each has its database, files, git repositories and imports. */
export class LastingInstallations {
  private readonly databases: LastingTestDatabase[] = [];

  /** @param folder with the files of all of them */
  constructor(private readonly folder: TemporaryFolder) {}

  /**
   * Returns the settings of a new installation, whose database has the schema and nothing else.
   * @param name of its folders
   */
  async add(
    name = randomBytes(6).toString('hex'),
    more: Record<string, string> = {},
  ): Promise<Record<string, string>> {
    const database = await createLastingTestDatabase();
    this.databases.push(database);
    await applyTemplate(database.url);
    return {
      DATABASE_URL: database.url,
      STORAGE_URL: `file:${this.folder.file(name)}`,
      GIT_ROOT: this.folder.file(`${name}-git`),
      IMPORT_ROOT: this.folder.file(`${name}-imports`),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ...more,
    };
  }

  async drop(): Promise<void> {
    for (const { drop } of this.databases) await drop();
  }
}
