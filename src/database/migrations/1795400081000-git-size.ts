import { DialectMigration } from './dialect-migration';

export class GitSize1795400081000 extends DialectMigration {
  readonly name = 'GitSize1795400081000';

  protected readonly sqlite = {
    up: [
      'ALTER TABLE "git_repository" ADD COLUMN "size" integer NOT NULL DEFAULT (0)',
      'CREATE TABLE "removed_git_repository" ("repository_id" integer PRIMARY KEY NOT NULL)',
    ],
  };

  protected readonly mysql = {
    up: [
      'ALTER TABLE `git_repository` ADD `size` bigint NOT NULL DEFAULT 0',
      'CREATE TABLE `removed_git_repository` (`repository_id` bigint NOT NULL, PRIMARY KEY (`repository_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
    ],
    down: ['DROP TABLE `removed_git_repository`', 'ALTER TABLE `git_repository` DROP COLUMN `size`'],
  };
}
