import { type FileStorage } from '../attachments/file-storage';
import { type Environment, EnvironmentError } from '../config/environment';
import { openSnapshot } from '../database/snapshot/open-snapshot';
import { findBrokenReferences } from '../database/schema/foreign-keys';
import { readTables } from '../database/schema/tables';
import { isEmbedded } from '../database/sql/statements';
import { TransactionsService } from '../database/transactions/transactions.service';
import { encryptionKeys } from '../encryption/encryption-keys';
import { EncryptionService } from '../encryption/encryption.service';
import { discardRestoredLetters } from '../mail/data/restored-letters';
import {
  countPendingDeliveries,
  disableWebhooks,
  releaseDeliveries,
} from '../webhooks/data/restored-deliveries';
import { reencryptAllSecrets } from '../stored-secrets';
import { readArchive } from './archive/archive-file';
import { BackupError } from './backup.error';
import { openEmbeddedTarget, refuseExistingFile } from './data/embedded-target';
import { type RestoreTarget } from './data/restore-target';
import { openServerTarget, refuseOccupiedServer, takenOver } from './data/server-target';
import { TableLoader } from './data/table-loader';
import { type ExpectedTable } from './data/expected-tables';
import { ENTRIES } from './format';
import { parseRepository } from './parse-entries';
import { type Progress } from './progress';
import { RestoredFiles } from './restored-files';
import { RestoredRepositories } from './restored-repositories';
import { tableLines } from './table-lines';
import { entryText, rowLines, type VerifiedBackup, verifyBackup } from './verify-backup';

/** Options of a restore. */
export interface RestoreOptions {
  environment: Environment;
  storage: FileStorage;
  path: string;
  passphrase?: string;
  /** Disables every webhook, so that the copy sends nothing. */
  isHoldingDeliveries?: boolean;
  /** Restores no git repositories. */
  isWithoutRepositories?: boolean;
  onProgress?: (progress: Progress) => void;
}

/** Result of a restore. */
export interface RestoreSummary {
  /** Time of the backup, and the version that made it. */
  created: string;
  version: string;
  tables: number;
  rows: number;
  files: number;
  /** Ids of attachments without content in the backup. */
  lostFiles: number[];
  repositories: number;
  /** Ids of git repositories that are missing from the backup. */
  lostRepositories: number[];
  /** Whether the git repositories were omitted from the backup on purpose. */
  lacksRepositories: boolean;
  /** Number of migrations that brought the rows to this version. */
  migrations: number;
  /** Number of deliveries that are sent when the service starts, or when their webhooks are enabled. */
  pendingDeliveries: number;
  /** Reason why some secrets of webhooks cannot be decrypted. */
  missingKeys?: string;
}

/**
 * Restores a backup into an empty database and a storage. Nothing is written before the whole archive has been read and compared with its
 * manifest, and the database cannot be used before it is complete. A killed restore can be run again.
 * @throws BackupError, StartRefusedError, EnvironmentError
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { environment, storage, path, passphrase, onProgress } = options;
  if (environment.isEmbeddedDatabase) refuseExistingFile(environment);
  else await refuseOccupiedServer(environment);
  const files = new RestoredFiles(storage);
  const repositories = new RestoredRepositories(environment, options.isWithoutRepositories ?? false);
  const backup = await verifyBackup(path, {
    passphrase,
    onProgress,
    onFile: (file) => files.refuseOther(file),
    onRepository: (id) => repositories.recordExisting(id),
  });
  // This also checks that keys are set where they are required.
  const keys = encryptionKeys(environment, backup.keys[0]);
  // Its lock or lease comes first: everything after it would destroy the work of a restore that is running.
  const target = await (environment.isEmbeddedDatabase ? openEmbeddedTarget : openServerTarget)(environment);
  const stopHeartbeat = repositories.keepAlive();
  try {
    await repositories.begin(backup.manifest);
    await storage.prepare(false);
    const summary = await new Restore(options, backup, target, files, repositories).run(keys);
    requireHeld(target);
    await repositories.moveAll((done) => onProgress?.({ step: 'place', done, total: repositories.count }));
    keys.keep();
    await target.commit();
    await repositories.end();
    return summary;
  } catch (error) {
    try {
      // What another process has taken over is its own.
      if (target.isHeld()) {
        await repositories.abandon();
        // After other failures, the next run uses them.
        if (error instanceof BackupError) await files.abandon();
      }
    } finally {
      await target.abandon();
    }
    throw error;
  } finally {
    stopHeartbeat();
  }
}

/** @throws BackupError if another process has taken over the database */
function requireHeld(target: RestoreTarget): void {
  if (!target.isHeld()) throw takenOver();
}

class Restore {
  private rows = 0;

  constructor(
    private readonly options: RestoreOptions,
    private readonly backup: VerifiedBackup,
    private readonly target: RestoreTarget,
    private readonly files: RestoredFiles,
    private readonly repositories: RestoredRepositories,
  ) {}

  async run({ keys, place }: { keys: Buffer[]; place: string }): Promise<RestoreSummary> {
    const { head, manifest, tables } = this.backup;
    const { dataSource } = this.target;
    const later = await this.migrateToBackup();
    await this.withLoader((loader) => this.load(loader, tables));
    await this.compare(tables);
    dataSource.migrations.push(...later);
    requireHeld(this.target);
    await dataSource.runMigrations();
    await this.continueIds();
    await this.refuseBrokenReferences();
    requireHeld(this.target);
    const pendingDeliveries = await this.prepareDeliveries();
    const missingKeys = await this.reencrypt(keys, place);
    return {
      created: head.created,
      version: head.version,
      tables: tables.size,
      rows: this.rows,
      files: manifest.files.count - manifest.files.superfluous.length,
      lostFiles: manifest.files.lost,
      repositories: this.repositories.count,
      lostRepositories: manifest.repositories?.lost ?? [],
      lacksRepositories: manifest.repositories?.isLeftOut ?? false,
      migrations: later.length,
      pendingDeliveries,
      ...(missingKeys !== undefined && { missingKeys }),
    };
  }

  /** Lets work fill tables. Its connection is returned before any other is needed, because a pool may have a single one. */
  private async withLoader(work: (loader: TableLoader) => Promise<void>): Promise<void> {
    const queryRunner = this.target.dataSource.createQueryRunner();
    try {
      await work(new TableLoader(queryRunner));
    } finally {
      await queryRunner.release();
    }
  }

  /** Creates the schema of the backup. @returns the migrations that follow it */
  private async migrateToBackup() {
    const { dataSource } = this.target;
    const later = dataSource.migrations.splice(this.backup.migrations.length);
    await dataSource.runMigrations();
    return later;
  }

  /** Stores the files and git repositories, and fills the tables. */
  private async load(loader: TableLoader, tables: ReadonlyMap<string, ExpectedTable>): Promise<void> {
    const { path, passphrase, onProgress } = this.options;
    const { superfluous, lost } = this.backup.manifest.files;
    const leftOut = new Set([...superfluous, ...lost]);
    const total = Object.values(this.backup.manifest.tables).reduce((sum, { rows }) => sum + rows, 0);
    let files = 0;
    await loader.begin();
    for await (const entry of readArchive(path, passphrase)) {
      requireHeld(this.target);
      const [, id, storageKey] = ENTRIES.file.exec(entry.path) ?? [];
      const [, name] = ENTRIES.rows.exec(entry.path) ?? [];
      const [, bundled, part] = ENTRIES.bundle.exec(entry.path) ?? [];
      const [, repository] = ENTRIES.repository.exec(entry.path) ?? [];
      const table = tables.get(name ?? '');
      if (storageKey !== undefined && !leftOut.has(Number(id))) {
        await this.files.write(storageKey, entry.size, entry.content());
        onProgress?.({ step: 'files', done: ++files, total: this.backup.manifest.files.count });
      } else if (table) {
        const lines = rowLines(await entryText(entry));
        await this.fill(loader, table, lines);
        this.rows += lines.length;
        onProgress?.({ step: 'rows', done: this.rows, total });
      } else if (bundled !== undefined) {
        await this.repositories.write(Number(bundled), Number(part), entry.content());
      } else if (repository !== undefined) {
        const contents = parseRepository(await entryText(entry));
        await this.repositories.make(Number(repository), contents);
        const { count } = this.repositories;
        onProgress?.({ step: 'repositories', done: count, total: this.backup.manifest.repositories?.count });
      }
    }
    await loader.end();
  }

  /** @throws BackupError that names the table if the database rejects a row */
  private async fill(loader: TableLoader, table: ExpectedTable, lines: readonly string[]): Promise<void> {
    try {
      await loader.load(table, lines);
    } catch (error) {
      throw new BackupError(`Rows of ${table.name} could not be restored: ${(error as Error).message}.`, {
        cause: error,
      });
    }
  }

  /** Reads the written rows. @throws BackupError if they differ from the backup */
  private async compare(tables: ReadonlyMap<string, ExpectedTable>): Promise<void> {
    const snapshot = await openSnapshot(this.target.settings);
    let checked = 0;
    try {
      for (const [name, table] of tables) {
        const written = this.backup.manifest.tables[name];
        const lines = tableLines(snapshot, table);
        for (;;) {
          const { value, done } = await lines.next();
          if (done) {
            if (value.rows === written?.rows && value.sha256 === written.sha256) break;
            throw new BackupError(`The rows of ${name} in the database differ from those that were written.`);
          }
          requireHeld(this.target);
          this.options.onProgress?.({ step: 'check', done: (checked += value.rows), total: this.rows });
        }
      }
    } finally {
      await snapshot.close();
    }
  }

  /** Keeps tables from generating an id again. */
  private async continueIds(): Promise<void> {
    const { dataSource } = this.target;
    const existing = await readTables(dataSource, isEmbedded(dataSource));
    await this.withLoader(async (loader) => {
      for (const { name } of existing) {
        const lastId = this.backup.manifest.tables[name]?.lastId;
        if (lastId !== undefined && lastId > 0) await loader.continueAfter(name, lastId);
      }
    });
  }

  private async refuseBrokenReferences(): Promise<void> {
    const { dataSource } = this.target;
    const [broken] = await findBrokenReferences(dataSource, isEmbedded(dataSource));
    if (!broken) return;
    throw new BackupError(
      `The backup has ${broken.rows} rows of ${broken.table} that refer to missing rows of ${broken.parent}.`,
    );
  }

  /**
   * Releases deliveries that were being sent at the time of the backup: their sender does not use the restored database. Letters are given up,
   * because people cannot recognize a repetition as receivers of webhooks do.
   */
  private prepareDeliveries(): Promise<number> {
    return new TransactionsService(this.target.dataSource).run(async (manager) => {
      await releaseDeliveries(manager);
      if (this.options.isHoldingDeliveries) await disableWebhooks(manager);
      await discardRestoredLetters(manager, Date.now());
      return countPendingDeliveries(manager);
    });
  }

  /** Encrypts the secrets with the first key of this installation. @returns why some cannot be decrypted */
  private async reencrypt(keys: readonly Buffer[], place: string): Promise<string | undefined> {
    const { dataSource } = this.target;
    const encryption = new EncryptionService([...keys, ...this.backup.keys]);
    try {
      await reencryptAllSecrets(dataSource, new TransactionsService(dataSource), encryption, {
        place,
        isLostReplaced: false,
      });
      return undefined;
    } catch (error) {
      if (error instanceof EnvironmentError) return error.problems.join(' ');
      throw error;
    }
  }
}
