import { DialectMigration } from './dialect-migration';

export class SharedFiles1795400040000 extends DialectMigration {
  readonly name = 'SharedFiles1795400040000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "shared_file" ("created_user_id" integer NOT NULL, "created" integer NOT NULL, "updated_user_id" integer NOT NULL, "updated" integer NOT NULL, "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "project_id" integer NOT NULL, "folder_id" integer NOT NULL, "path_key" varchar(43) NOT NULL, "dir" varchar(1000) NOT NULL, "name" varchar(255) NOT NULL, "attachment_id" integer, "size" integer, "lock_version" integer NOT NULL DEFAULT (0), CONSTRAINT "uq_shared_file_project_id_path_key" UNIQUE ("project_id", "path_key"), CONSTRAINT "uq_shared_file_attachment_id" UNIQUE ("attachment_id"), CONSTRAINT "fk_shared_file_created_user_id" FOREIGN KEY ("created_user_id") REFERENCES "user" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION, CONSTRAINT "fk_shared_file_updated_user_id" FOREIGN KEY ("updated_user_id") REFERENCES "user" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION, CONSTRAINT "fk_shared_file_project_id" FOREIGN KEY ("project_id") REFERENCES "project" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_shared_file_attachment_id" FOREIGN KEY ("attachment_id") REFERENCES "attachment" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_shared_file_updated_user_id" ON "shared_file" ("updated_user_id") ',
      'CREATE INDEX "ix_shared_file_created_user_id" ON "shared_file" ("created_user_id") ',
      'CREATE INDEX "ix_shared_file_project_id_folder_id" ON "shared_file" ("project_id", "folder_id") ',
      'CREATE TABLE "issue_shared_file" ("shared_file_id" integer NOT NULL, "issue_id" integer NOT NULL, CONSTRAINT "fk_issue_shared_file_shared_file_id" FOREIGN KEY ("shared_file_id") REFERENCES "shared_file" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_issue_shared_file_issue_id" FOREIGN KEY ("issue_id") REFERENCES "issue" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("shared_file_id", "issue_id"))',
      'CREATE INDEX "ix_issue_shared_file_issue_id" ON "issue_shared_file" ("issue_id") ',
      'CREATE TABLE "wiki_shared_file" ("shared_file_id" integer NOT NULL, "wiki_id" integer NOT NULL, CONSTRAINT "fk_wiki_shared_file_shared_file_id" FOREIGN KEY ("shared_file_id") REFERENCES "shared_file" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_wiki_shared_file_wiki_id" FOREIGN KEY ("wiki_id") REFERENCES "wiki" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("shared_file_id", "wiki_id"))',
      'CREATE INDEX "ix_wiki_shared_file_wiki_id" ON "wiki_shared_file" ("wiki_id") ',
    ],
  };

  protected readonly mysql = {
    up: [
      "CREATE TABLE `shared_file` (`created_user_id` bigint NOT NULL, `created` bigint NOT NULL, `updated_user_id` bigint NOT NULL, `updated` bigint NOT NULL, `id` bigint NOT NULL AUTO_INCREMENT, `project_id` bigint NOT NULL, `folder_id` bigint NOT NULL, `path_key` varchar(43) NOT NULL, `dir` varchar(1000) NOT NULL, `name` varchar(255) NOT NULL, `attachment_id` bigint NULL, `size` bigint NULL, `lock_version` bigint NOT NULL DEFAULT '0', INDEX `ix_shared_file_updated_user_id` (`updated_user_id`), INDEX `ix_shared_file_created_user_id` (`created_user_id`), INDEX `ix_shared_file_project_id_folder_id` (`project_id`, `folder_id`), UNIQUE INDEX `ix_shared_file_project_id_path_key` (`project_id`, `path_key`), UNIQUE INDEX `ix_shared_file_attachment_id` (`attachment_id`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      'CREATE TABLE `issue_shared_file` (`shared_file_id` bigint NOT NULL, `issue_id` bigint NOT NULL, INDEX `ix_issue_shared_file_issue_id` (`issue_id`), PRIMARY KEY (`shared_file_id`, `issue_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `wiki_shared_file` (`shared_file_id` bigint NOT NULL, `wiki_id` bigint NOT NULL, INDEX `ix_wiki_shared_file_wiki_id` (`wiki_id`), PRIMARY KEY (`shared_file_id`, `wiki_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `shared_file` ADD CONSTRAINT `fk_shared_file_created_user_id` FOREIGN KEY (`created_user_id`) REFERENCES `user`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
      'ALTER TABLE `shared_file` ADD CONSTRAINT `fk_shared_file_updated_user_id` FOREIGN KEY (`updated_user_id`) REFERENCES `user`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
      'ALTER TABLE `shared_file` ADD CONSTRAINT `fk_shared_file_project_id` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `shared_file` ADD CONSTRAINT `fk_shared_file_attachment_id` FOREIGN KEY (`attachment_id`) REFERENCES `attachment`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
      'ALTER TABLE `issue_shared_file` ADD CONSTRAINT `fk_issue_shared_file_shared_file_id` FOREIGN KEY (`shared_file_id`) REFERENCES `shared_file`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `issue_shared_file` ADD CONSTRAINT `fk_issue_shared_file_issue_id` FOREIGN KEY (`issue_id`) REFERENCES `issue`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `wiki_shared_file` ADD CONSTRAINT `fk_wiki_shared_file_shared_file_id` FOREIGN KEY (`shared_file_id`) REFERENCES `shared_file`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `wiki_shared_file` ADD CONSTRAINT `fk_wiki_shared_file_wiki_id` FOREIGN KEY (`wiki_id`) REFERENCES `wiki`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `wiki_shared_file` DROP FOREIGN KEY `fk_wiki_shared_file_wiki_id`',
      'ALTER TABLE `wiki_shared_file` DROP FOREIGN KEY `fk_wiki_shared_file_shared_file_id`',
      'ALTER TABLE `issue_shared_file` DROP FOREIGN KEY `fk_issue_shared_file_issue_id`',
      'ALTER TABLE `issue_shared_file` DROP FOREIGN KEY `fk_issue_shared_file_shared_file_id`',
      'ALTER TABLE `shared_file` DROP FOREIGN KEY `fk_shared_file_attachment_id`',
      'ALTER TABLE `shared_file` DROP FOREIGN KEY `fk_shared_file_project_id`',
      'ALTER TABLE `shared_file` DROP FOREIGN KEY `fk_shared_file_updated_user_id`',
      'ALTER TABLE `shared_file` DROP FOREIGN KEY `fk_shared_file_created_user_id`',
      'DROP INDEX `ix_wiki_shared_file_wiki_id` ON `wiki_shared_file`',
      'DROP TABLE `wiki_shared_file`',
      'DROP INDEX `ix_issue_shared_file_issue_id` ON `issue_shared_file`',
      'DROP TABLE `issue_shared_file`',
      'DROP INDEX `ix_shared_file_attachment_id` ON `shared_file`',
      'DROP INDEX `ix_shared_file_project_id_path_key` ON `shared_file`',
      'DROP INDEX `ix_shared_file_project_id_folder_id` ON `shared_file`',
      'DROP INDEX `ix_shared_file_created_user_id` ON `shared_file`',
      'DROP INDEX `ix_shared_file_updated_user_id` ON `shared_file`',
      'DROP TABLE `shared_file`',
    ],
  };
}
