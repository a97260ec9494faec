import { DialectMigration } from './dialect-migration';

export class WikiRemoval1795283618954 extends DialectMigration {
  readonly name = 'WikiRemoval1795283618954';

  protected readonly sqlite = {
    up: [
      'DROP INDEX "ix_wiki_version_created_user_id"',
      'CREATE TABLE "temporary_wiki_version" ("wiki_id" integer NOT NULL, "version" integer NOT NULL, "name" varchar(255) NOT NULL, "content" mediumtext NOT NULL, "created_user_id" integer NOT NULL, "created" integer NOT NULL, CONSTRAINT "fk_wiki_version_created_user_id" FOREIGN KEY ("created_user_id") REFERENCES "user" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION, PRIMARY KEY ("wiki_id", "version"))',
      'INSERT INTO "temporary_wiki_version"("wiki_id", "version", "name", "content", "created_user_id", "created") SELECT "wiki_id", "version", "name", "content", "created_user_id", "created" FROM "wiki_version"',
      'DROP TABLE "wiki_version"',
      'ALTER TABLE "temporary_wiki_version" RENAME TO "wiki_version"',
      'CREATE INDEX "ix_wiki_version_created_user_id" ON "wiki_version" ("created_user_id") ',
      'CREATE TABLE "removed_wiki" ("wiki_id" integer PRIMARY KEY NOT NULL)',
    ],
  };

  protected readonly mysql = {
    up: [
      'ALTER TABLE `wiki_version` DROP FOREIGN KEY `fk_wiki_version_wiki_id`',
      'CREATE TABLE `removed_wiki` (`wiki_id` bigint NOT NULL, PRIMARY KEY (`wiki_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
    ],
    down: [
      // The foreign key would reject the versions of pages that are still being removed.
      'DELETE FROM `wiki_version` WHERE `wiki_id` IN (SELECT `wiki_id` FROM `removed_wiki`)',
      'DROP TABLE `removed_wiki`',
      'ALTER TABLE `wiki_version` ADD CONSTRAINT `fk_wiki_version_wiki_id` FOREIGN KEY (`wiki_id`) REFERENCES `wiki`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
  };
}
