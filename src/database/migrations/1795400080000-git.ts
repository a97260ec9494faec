import { DialectMigration } from './dialect-migration';

export class Git1795400080000 extends DialectMigration {
  readonly name = 'Git1795400080000';

  protected readonly sqlite = {
    up: [
      'ALTER TABLE "git_repository" ADD COLUMN "default_branch" varchar(255) NOT NULL DEFAULT (\'main\')',
      'ALTER TABLE "git_repository" ADD COLUMN "protects_default_branch" boolean NOT NULL DEFAULT (1)',
      'ALTER TABLE "git_repository" ADD COLUMN "pushed_at" integer',
      'ALTER TABLE "pull_request" ADD COLUMN "base_commit" varchar(64)',
      'ALTER TABLE "pull_request" ADD COLUMN "branch_commit" varchar(64)',
      'ALTER TABLE "pull_request" ADD COLUMN "merge_commit" varchar(64)',
      'CREATE TABLE "git_ref" ("repository_id" integer NOT NULL, "name" varchar(255) NOT NULL, "hash" varchar(64) NOT NULL, CONSTRAINT "fk_git_ref_repository_id" FOREIGN KEY ("repository_id") REFERENCES "git_repository" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("repository_id", "name"))',
      'CREATE TABLE "git_push" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "repository_id" integer NOT NULL, "user_id" integer NOT NULL, "updates" mediumtext NOT NULL, "created" integer NOT NULL, CONSTRAINT "fk_git_push_repository_id" FOREIGN KEY ("repository_id") REFERENCES "git_repository" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_git_push_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_git_push_repository_id" ON "git_push" ("repository_id") ',
      'CREATE INDEX "ix_git_push_user_id" ON "git_push" ("user_id") ',
    ],
  };

  protected readonly mysql = {
    up: [
      "ALTER TABLE `git_repository` ADD `default_branch` varchar(255) NOT NULL DEFAULT 'main'",
      'ALTER TABLE `git_repository` ADD `protects_default_branch` tinyint NOT NULL DEFAULT 1',
      'ALTER TABLE `git_repository` ADD `pushed_at` bigint NULL',
      'ALTER TABLE `pull_request` ADD `base_commit` varchar(64) NULL',
      'ALTER TABLE `pull_request` ADD `branch_commit` varchar(64) NULL',
      'ALTER TABLE `pull_request` ADD `merge_commit` varchar(64) NULL',
      'CREATE TABLE `git_ref` (`repository_id` bigint NOT NULL, `name` varchar(255) NOT NULL, `hash` varchar(64) NOT NULL, PRIMARY KEY (`repository_id`, `name`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `git_push` (`id` bigint NOT NULL AUTO_INCREMENT, `repository_id` bigint NOT NULL, `user_id` bigint NOT NULL, `updates` mediumtext NOT NULL, `created` bigint NOT NULL, INDEX `ix_git_push_repository_id` (`repository_id`), INDEX `ix_git_push_user_id` (`user_id`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `git_ref` ADD CONSTRAINT `fk_git_ref_repository_id` FOREIGN KEY (`repository_id`) REFERENCES `git_repository`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `git_push` ADD CONSTRAINT `fk_git_push_repository_id` FOREIGN KEY (`repository_id`) REFERENCES `git_repository`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `git_push` ADD CONSTRAINT `fk_git_push_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `git_push` DROP FOREIGN KEY `fk_git_push_user_id`',
      'ALTER TABLE `git_push` DROP FOREIGN KEY `fk_git_push_repository_id`',
      'ALTER TABLE `git_ref` DROP FOREIGN KEY `fk_git_ref_repository_id`',
      'DROP TABLE `git_push`',
      'DROP TABLE `git_ref`',
      'ALTER TABLE `pull_request` DROP COLUMN `merge_commit`',
      'ALTER TABLE `pull_request` DROP COLUMN `branch_commit`',
      'ALTER TABLE `pull_request` DROP COLUMN `base_commit`',
      'ALTER TABLE `git_repository` DROP COLUMN `pushed_at`',
      'ALTER TABLE `git_repository` DROP COLUMN `protects_default_branch`',
      'ALTER TABLE `git_repository` DROP COLUMN `default_branch`',
    ],
  };
}
