import { DialectMigration } from './dialect-migration';

export class IssueCommits1795400082000 extends DialectMigration {
  readonly name = 'IssueCommits1795400082000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "issue_commit" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "issue_id" integer NOT NULL, "hash" varchar(64) NOT NULL, "action" smallint NOT NULL, "user_id" integer NOT NULL, "comment" mediumtext NOT NULL, "pending_since" integer, CONSTRAINT "uq_issue_commit_issue_id_hash_action" UNIQUE ("issue_id", "hash", "action"), CONSTRAINT "fk_issue_commit_issue_id" FOREIGN KEY ("issue_id") REFERENCES "issue" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_issue_commit_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_issue_commit_pending_since" ON "issue_commit" ("pending_since") ',
      'CREATE INDEX "ix_issue_commit_user_id" ON "issue_commit" ("user_id") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `issue_commit` (`id` bigint NOT NULL AUTO_INCREMENT, `issue_id` bigint NOT NULL, `hash` varchar(64) NOT NULL, `action` smallint NOT NULL, `user_id` bigint NOT NULL, `comment` mediumtext NOT NULL, `pending_since` bigint NULL, INDEX `ix_issue_commit_pending_since` (`pending_since`), INDEX `ix_issue_commit_user_id` (`user_id`), UNIQUE INDEX `ix_issue_commit_issue_id_hash_action` (`issue_id`, `hash`, `action`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `issue_commit` ADD CONSTRAINT `fk_issue_commit_issue_id` FOREIGN KEY (`issue_id`) REFERENCES `issue`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `issue_commit` ADD CONSTRAINT `fk_issue_commit_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `issue_commit` DROP FOREIGN KEY `fk_issue_commit_user_id`',
      'ALTER TABLE `issue_commit` DROP FOREIGN KEY `fk_issue_commit_issue_id`',
      'DROP TABLE `issue_commit`',
    ],
  };
}
