import { DialectMigration } from './dialect-migration';

/** Imports of archives. Older processes would remove the hidden project of one as a deleted project. */
export class Imports1795730101000 extends DialectMigration {
  readonly name = 'Imports1795730101000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "import_run" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar(255) NOT NULL, "size" integer NOT NULL, "spool" varchar(36) NOT NULL, "state" smallint NOT NULL, "phase" varchar(16) NOT NULL, "kind" varchar(64) NOT NULL DEFAULT (\'\'), "done" integer NOT NULL DEFAULT (0), "options" mediumtext NOT NULL, "bases" mediumtext NOT NULL, "plan" mediumtext, "report" mediumtext, "error" varchar(1000) NOT NULL DEFAULT (\'\'), "created_user_id" integer, "created" integer NOT NULL, "finished" integer, "lease_until" integer NOT NULL DEFAULT (0), "lease_token" varchar(36))',
      'CREATE TABLE "import_record" ("import_id" integer NOT NULL, "kind" varchar(64) NOT NULL, "source_id" integer NOT NULL, "target_id" integer NOT NULL, "added" boolean NOT NULL, CONSTRAINT "fk_import_record_import_id" FOREIGN KEY ("import_id") REFERENCES "import_run" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("import_id", "kind", "source_id"))',
      'CREATE INDEX "ix_import_record_target_id" ON "import_record" ("target_id") ',
      'ALTER TABLE "project" ADD COLUMN "import_id" integer',
      'ALTER TABLE "user" ADD COLUMN "placeholder" boolean NOT NULL DEFAULT (0)',
    ],
  };

  protected readonly mysql = {
    up: [
      "CREATE TABLE `import_run` (`id` bigint NOT NULL AUTO_INCREMENT, `name` varchar(255) NOT NULL, `size` bigint NOT NULL, `spool` varchar(36) NOT NULL, `state` smallint NOT NULL, `phase` varchar(16) NOT NULL, `kind` varchar(64) NOT NULL DEFAULT '', `done` bigint NOT NULL DEFAULT 0, `options` mediumtext NOT NULL, `bases` mediumtext NOT NULL, `plan` mediumtext NULL, `report` mediumtext NULL, `error` varchar(1000) NOT NULL DEFAULT '', `created_user_id` bigint NULL, `created` bigint NOT NULL, `finished` bigint NULL, `lease_until` bigint NOT NULL DEFAULT 0, `lease_token` varchar(36) NULL, PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      'CREATE TABLE `import_record` (`import_id` bigint NOT NULL, `kind` varchar(64) NOT NULL, `source_id` bigint NOT NULL, `target_id` bigint NOT NULL, `added` tinyint NOT NULL, INDEX `ix_import_record_target_id` (`target_id`), PRIMARY KEY (`import_id`, `kind`, `source_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `project` ADD `import_id` bigint NULL',
      'ALTER TABLE `user` ADD `placeholder` tinyint NOT NULL DEFAULT 0',
      'ALTER TABLE `import_record` ADD CONSTRAINT `fk_import_record_import_id` FOREIGN KEY (`import_id`) REFERENCES `import_run`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `import_record` DROP FOREIGN KEY `fk_import_record_import_id`',
      'ALTER TABLE `user` DROP COLUMN `placeholder`',
      'ALTER TABLE `project` DROP COLUMN `import_id`',
      'DROP INDEX `ix_import_record_target_id` ON `import_record`',
      'DROP TABLE `import_record`',
      'DROP TABLE `import_run`',
    ],
  };
}
