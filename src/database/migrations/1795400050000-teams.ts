import { DialectMigration } from './dialect-migration';

export class Teams1795400050000 extends DialectMigration {
  readonly name = 'Teams1795400050000';

  protected readonly sqlite = {
    up: [
      'ALTER TABLE "project_member" ADD COLUMN "direct" boolean NOT NULL DEFAULT (1)',
      'ALTER TABLE "project_member" ADD COLUMN "team_count" integer NOT NULL DEFAULT (0)',
      'CREATE TABLE "team" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "created_user_id" integer NOT NULL, "created" integer NOT NULL, "updated_user_id" integer NOT NULL, "updated" integer NOT NULL, "name" varchar(255) NOT NULL, "display_order" integer NOT NULL, "lock_version" integer NOT NULL DEFAULT (0), CONSTRAINT "fk_team_created_user_id" FOREIGN KEY ("created_user_id") REFERENCES "user" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION, CONSTRAINT "fk_team_updated_user_id" FOREIGN KEY ("updated_user_id") REFERENCES "user" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_team_created_user_id" ON "team" ("created_user_id") ',
      'CREATE INDEX "ix_team_updated_user_id" ON "team" ("updated_user_id") ',
      'CREATE TABLE "team_member" ("team_id" integer NOT NULL, "user_id" integer NOT NULL, CONSTRAINT "fk_team_member_team_id" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_team_member_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("team_id", "user_id"))',
      'CREATE INDEX "ix_team_member_user_id" ON "team_member" ("user_id") ',
      'CREATE TABLE "project_team" ("project_id" integer NOT NULL, "team_id" integer NOT NULL, CONSTRAINT "fk_project_team_project_id" FOREIGN KEY ("project_id") REFERENCES "project" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_project_team_team_id" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("project_id", "team_id"))',
      'CREATE INDEX "ix_project_team_team_id" ON "project_team" ("team_id") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'ALTER TABLE `project_member` ADD `direct` tinyint NOT NULL DEFAULT 1',
      "ALTER TABLE `project_member` ADD `team_count` int NOT NULL DEFAULT '0'",
      'CREATE TABLE `team` (`id` bigint NOT NULL AUTO_INCREMENT, `created_user_id` bigint NOT NULL, `created` bigint NOT NULL, `updated_user_id` bigint NOT NULL, `updated` bigint NOT NULL, `name` varchar(255) NOT NULL, `display_order` int NOT NULL, `lock_version` bigint NOT NULL DEFAULT 0, INDEX `ix_team_created_user_id` (`created_user_id`), INDEX `ix_team_updated_user_id` (`updated_user_id`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `team_member` (`team_id` bigint NOT NULL, `user_id` bigint NOT NULL, INDEX `ix_team_member_user_id` (`user_id`), PRIMARY KEY (`team_id`, `user_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `project_team` (`project_id` bigint NOT NULL, `team_id` bigint NOT NULL, INDEX `ix_project_team_team_id` (`team_id`), PRIMARY KEY (`project_id`, `team_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `team` ADD CONSTRAINT `fk_team_created_user_id` FOREIGN KEY (`created_user_id`) REFERENCES `user`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
      'ALTER TABLE `team` ADD CONSTRAINT `fk_team_updated_user_id` FOREIGN KEY (`updated_user_id`) REFERENCES `user`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
      'ALTER TABLE `team_member` ADD CONSTRAINT `fk_team_member_team_id` FOREIGN KEY (`team_id`) REFERENCES `team`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `team_member` ADD CONSTRAINT `fk_team_member_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `project_team` ADD CONSTRAINT `fk_project_team_project_id` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `project_team` ADD CONSTRAINT `fk_project_team_team_id` FOREIGN KEY (`team_id`) REFERENCES `team`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `project_team` DROP FOREIGN KEY `fk_project_team_team_id`',
      'ALTER TABLE `project_team` DROP FOREIGN KEY `fk_project_team_project_id`',
      'ALTER TABLE `team_member` DROP FOREIGN KEY `fk_team_member_user_id`',
      'ALTER TABLE `team_member` DROP FOREIGN KEY `fk_team_member_team_id`',
      'ALTER TABLE `team` DROP FOREIGN KEY `fk_team_updated_user_id`',
      'ALTER TABLE `team` DROP FOREIGN KEY `fk_team_created_user_id`',
      'DROP TABLE `project_team`',
      'DROP TABLE `team_member`',
      'DROP TABLE `team`',
      'ALTER TABLE `project_member` DROP COLUMN `team_count`',
      'ALTER TABLE `project_member` DROP COLUMN `direct`',
    ],
  };
}
