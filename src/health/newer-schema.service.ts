import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BackgroundService } from '../background/background.service';
import { isUnavailable } from '../database/connections/database-errors';
import { supersedingMigration } from '../database/migrating/migrate';
import { isEmbedded } from '../database/sql/statements';

/** Half of the time that a newer version leaves between its announcement and its migrations, in milliseconds. */
const INTERVAL_MS = 1000;

/**
 * Notices when a newer version is about to make the schema one that this version cannot serve, before which the process must stop: each of
 * its requests and background runs would fail, or omit work that the newer version relies on.
 */
@Injectable()
export class NewerSchemaService {
  private readonly logger = new Logger('Database');
  private migration?: string;
  private report: (migration: string) => void;
  /** Resolves with the name of the migration beside which this version cannot serve. */
  readonly superseded = new Promise<string>((resolve) => (this.report = resolve));

  constructor(
    private readonly dataSource: DataSource,
    background: BackgroundService,
  ) {
    if (isEmbedded(dataSource)) return;
    background.add('newer schema', () => this.checkSchema(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not look for a newer schema',
      ignored: isUnavailable,
    });
  }

  /** Whether this version can no longer serve the database. */
  get isSuperseded(): boolean {
    return this.migration !== undefined;
  }

  private async checkSchema(): Promise<void> {
    if (this.isSuperseded) return;
    this.migration = await supersedingMigration(this.dataSource);
    if (this.migration === undefined) return;
    this.logger.warn(
      `A newer version migrates the database (${this.migration}), which this version cannot serve: start the newer version instead`,
    );
    this.report(this.migration);
  }
}
