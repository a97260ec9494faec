import { DialectMigration } from './dialect-migration';

/** Gives existing stars the values stored with new ones, such as the author and the project of the starred item. */
const COMPLETE_STARS = [
  `UPDATE star SET
     receiver_id = (SELECT c.created_user_id FROM comment c WHERE c.id = star.comment_id),
     project_id = (SELECT t.project_id FROM comment c JOIN comment_thread t ON t.id = c.thread_id
                    WHERE c.id = star.comment_id),
     developers_only = EXISTS (SELECT 1 FROM comment c JOIN pull_request q ON q.thread_id = c.thread_id
                                WHERE c.id = star.comment_id)
    WHERE comment_id IS NOT NULL AND receiver_id IS NULL`,
  `UPDATE star SET
     receiver_id = COALESCE((SELECT i.created_user_id FROM issue i WHERE i.thread_id = star.thread_id),
                            (SELECT w.created_user_id FROM wiki w WHERE w.thread_id = star.thread_id),
                            (SELECT q.created_user_id FROM pull_request q WHERE q.thread_id = star.thread_id)),
     project_id = (SELECT t.project_id FROM comment_thread t WHERE t.id = star.thread_id),
     developers_only = EXISTS (SELECT 1 FROM pull_request q WHERE q.thread_id = star.thread_id)
    WHERE thread_id IS NOT NULL AND receiver_id IS NULL`,
];

export class WatchingsAndViews1795400020000 extends DialectMigration {
  readonly name = 'WatchingsAndViews1795400020000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "related_issue" ("first_issue_id" integer NOT NULL, "second_issue_id" integer NOT NULL, "created" integer NOT NULL, CONSTRAINT "fk_related_issue_first_issue_id" FOREIGN KEY ("first_issue_id") REFERENCES "issue" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_related_issue_second_issue_id" FOREIGN KEY ("second_issue_id") REFERENCES "issue" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("first_issue_id", "second_issue_id"))',
      'CREATE INDEX "ix_related_issue_second_issue_id" ON "related_issue" ("second_issue_id") ',
      'CREATE TABLE "watching" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" integer NOT NULL, "issue_id" integer NOT NULL, "project_id" integer NOT NULL, "note" varchar(2000) NOT NULL, "already_read" boolean NOT NULL, "resource_already_read" boolean NOT NULL, "created" integer NOT NULL, "updated" integer NOT NULL, CONSTRAINT "uq_watching_user_id_issue_id" UNIQUE ("user_id", "issue_id"), CONSTRAINT "fk_watching_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_watching_issue_id" FOREIGN KEY ("issue_id") REFERENCES "issue" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_watching_project_id" ON "watching" ("project_id") ',
      'CREATE INDEX "ix_watching_issue_id" ON "watching" ("issue_id") ',
      'CREATE TABLE "recently_viewed" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" integer NOT NULL, "kind" smallint NOT NULL, "subject_id" integer NOT NULL, "project_id" integer NOT NULL, "viewed" integer NOT NULL, CONSTRAINT "uq_recently_viewed_user_id_kind_subject_id" UNIQUE ("user_id", "kind", "subject_id"), CONSTRAINT "fk_recently_viewed_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_recently_viewed_project_id" ON "recently_viewed" ("project_id") ',
      'ALTER TABLE "notification" ADD COLUMN "watched_comment_id" integer',
      'ALTER TABLE "star" ADD COLUMN "receiver_id" integer',
      'ALTER TABLE "star" ADD COLUMN "project_id" integer',
      'ALTER TABLE "star" ADD COLUMN "developers_only" boolean NOT NULL DEFAULT (0)',
      ...COMPLETE_STARS,
      'CREATE INDEX "ix_star_received" ON "star" ("receiver_id", "id", "project_id", "developers_only", "created") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `related_issue` (`first_issue_id` bigint NOT NULL, `second_issue_id` bigint NOT NULL, `created` bigint NOT NULL, INDEX `ix_related_issue_second_issue_id` (`second_issue_id`), PRIMARY KEY (`first_issue_id`, `second_issue_id`), CONSTRAINT `fk_related_issue_first_issue_id` FOREIGN KEY (`first_issue_id`) REFERENCES `issue`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT `fk_related_issue_second_issue_id` FOREIGN KEY (`second_issue_id`) REFERENCES `issue`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `watching` (`id` bigint NOT NULL AUTO_INCREMENT, `user_id` bigint NOT NULL, `issue_id` bigint NOT NULL, `project_id` bigint NOT NULL, `note` varchar(2000) NOT NULL, `already_read` tinyint NOT NULL, `resource_already_read` tinyint NOT NULL, `created` bigint NOT NULL, `updated` bigint NOT NULL, INDEX `ix_watching_project_id` (`project_id`), INDEX `ix_watching_issue_id` (`issue_id`), UNIQUE INDEX `ix_watching_user_id_issue_id` (`user_id`, `issue_id`), PRIMARY KEY (`id`), CONSTRAINT `fk_watching_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT `fk_watching_issue_id` FOREIGN KEY (`issue_id`) REFERENCES `issue`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `recently_viewed` (`id` bigint NOT NULL AUTO_INCREMENT, `user_id` bigint NOT NULL, `kind` smallint NOT NULL, `subject_id` bigint NOT NULL, `project_id` bigint NOT NULL, `viewed` bigint NOT NULL, INDEX `ix_recently_viewed_project_id` (`project_id`), UNIQUE INDEX `ix_recently_viewed_user_id_kind_subject_id` (`user_id`, `kind`, `subject_id`), PRIMARY KEY (`id`), CONSTRAINT `fk_recently_viewed_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `notification` ADD `watched_comment_id` bigint NULL',
      'ALTER TABLE `star` ADD `receiver_id` bigint NULL, ADD `project_id` bigint NULL, ADD `developers_only` tinyint NOT NULL DEFAULT 0',
      ...COMPLETE_STARS,
      'CREATE INDEX `ix_star_received` ON `star` (`receiver_id`, `id`, `project_id`, `developers_only`, `created`)',
    ],
    down: [
      'DROP INDEX `ix_star_received` ON `star`',
      'ALTER TABLE `star` DROP COLUMN `developers_only`, DROP COLUMN `project_id`, DROP COLUMN `receiver_id`',
      'ALTER TABLE `notification` DROP COLUMN `watched_comment_id`',
      'DROP TABLE `recently_viewed`',
      'DROP TABLE `watching`',
      'DROP TABLE `related_issue`',
    ],
  };
}
