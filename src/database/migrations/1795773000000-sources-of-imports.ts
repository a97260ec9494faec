import { DialectMigration } from './dialect-migration';

/** Sources that the service reads into archives. Older processes leave the column alone, and have no archive to go on with. */
export class SourcesOfImports1795773000000 extends DialectMigration {
  readonly name = 'SourcesOfImports1795773000000';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: ['ALTER TABLE "import_run" ADD COLUMN "source" mediumtext'],
  };

  protected readonly mysql = {
    up: ['ALTER TABLE `import_run` ADD `source` mediumtext NULL'],
    down: ['ALTER TABLE `import_run` DROP COLUMN `source`'],
  };
}
