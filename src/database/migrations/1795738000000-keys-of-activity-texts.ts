import { DialectMigration } from './dialect-migration';

/** An imported project keeps the digests of its texts, which the project that it was exported from may have too. */
export class KeysOfActivityTexts1795738000000 extends DialectMigration {
  readonly name = 'KeysOfActivityTexts1795738000000';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'DROP INDEX "ix_activity_text_project_id_period"',
      'CREATE TABLE "temporary_activity_text" ("digest" varchar(43) NOT NULL, "project_id" integer NOT NULL, "text" mediumtext NOT NULL, "period" integer NOT NULL DEFAULT (0), CONSTRAINT "fk_activity_text_project_id" FOREIGN KEY ("project_id") REFERENCES "project" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("digest", "project_id"))',
      'INSERT INTO "temporary_activity_text"("digest", "project_id", "text", "period") SELECT "digest", "project_id", "text", "period" FROM "activity_text"',
      'DROP TABLE "activity_text"',
      'ALTER TABLE "temporary_activity_text" RENAME TO "activity_text"',
      'CREATE INDEX "ix_activity_text_project_id_period" ON "activity_text" ("project_id", "period") ',
    ],
  };

  // One statement, so that the table always has a primary key, which clusters require.
  protected readonly mysql = {
    up: ['ALTER TABLE `activity_text` DROP PRIMARY KEY, ADD PRIMARY KEY (`digest`, `project_id`)'],
    down: ['ALTER TABLE `activity_text` DROP PRIMARY KEY, ADD PRIMARY KEY (`digest`)'],
  };
}
