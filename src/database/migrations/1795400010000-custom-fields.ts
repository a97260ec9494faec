import { DialectMigration } from './dialect-migration';

export class CustomFields1795400010000 extends DialectMigration {
  readonly name = 'CustomFields1795400010000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "custom_field" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "project_id" integer NOT NULL, "name" varchar(255) NOT NULL, "name_key" varchar(765) NOT NULL, "display_order" integer NOT NULL, "lock_version" integer NOT NULL DEFAULT (0), "type_id" smallint NOT NULL, "description" mediumtext NOT NULL, "required" boolean NOT NULL, "settings" mediumtext NOT NULL, "version" integer NOT NULL DEFAULT (0), CONSTRAINT "uq_custom_field_project_id_name_key" UNIQUE ("project_id", "name_key"), CONSTRAINT "fk_custom_field_project_id" FOREIGN KEY ("project_id") REFERENCES "project" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE TABLE "custom_field_issue_type" ("custom_field_id" integer NOT NULL, "issue_type_id" integer NOT NULL, CONSTRAINT "fk_custom_field_issue_type_custom_field_id" FOREIGN KEY ("custom_field_id") REFERENCES "custom_field" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_custom_field_issue_type_issue_type_id" FOREIGN KEY ("issue_type_id") REFERENCES "issue_type" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("custom_field_id", "issue_type_id"))',
      'CREATE INDEX "ix_custom_field_issue_type_issue_type_id" ON "custom_field_issue_type" ("issue_type_id") ',
      'CREATE TABLE "custom_field_item" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "custom_field_id" integer NOT NULL, "name" varchar(255) NOT NULL, "name_key" varchar(765) NOT NULL, "display_order" integer NOT NULL, CONSTRAINT "uq_custom_field_item_custom_field_id_name_key" UNIQUE ("custom_field_id", "name_key"), CONSTRAINT "fk_custom_field_item_custom_field_id" FOREIGN KEY ("custom_field_id") REFERENCES "custom_field" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE TABLE "issue_custom_field_item" ("issue_id" integer NOT NULL, "item_id" integer NOT NULL, CONSTRAINT "fk_issue_custom_field_item_issue_id" FOREIGN KEY ("issue_id") REFERENCES "issue" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_issue_custom_field_item_item_id" FOREIGN KEY ("item_id") REFERENCES "custom_field_item" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("issue_id", "item_id"))',
      'CREATE INDEX "ix_issue_custom_field_item_item_id" ON "issue_custom_field_item" ("item_id") ',
      'CREATE TABLE "issue_custom_field" ("issue_id" integer NOT NULL, "custom_field_id" integer NOT NULL, "text_value" mediumtext, "text_key" varchar(100), "number_value" integer, "date_value" varchar(10), "other_value" varchar(255), CONSTRAINT "fk_issue_custom_field_issue_id" FOREIGN KEY ("issue_id") REFERENCES "issue" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_issue_custom_field_custom_field_id" FOREIGN KEY ("custom_field_id") REFERENCES "custom_field" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("issue_id", "custom_field_id"))',
      'CREATE INDEX "ix_issue_custom_field_custom_field_id_text_key" ON "issue_custom_field" ("custom_field_id", "text_key") ',
      'CREATE INDEX "ix_issue_custom_field_custom_field_id_date_value" ON "issue_custom_field" ("custom_field_id", "date_value") ',
      'CREATE INDEX "ix_issue_custom_field_custom_field_id_number_value" ON "issue_custom_field" ("custom_field_id", "number_value") ',
    ],
  };

  protected readonly mysql = {
    up: [
      "CREATE TABLE `custom_field` (`id` bigint NOT NULL AUTO_INCREMENT, `project_id` bigint NOT NULL, `name` varchar(255) NOT NULL, `name_key` varchar(765) NOT NULL, `display_order` int NOT NULL, `lock_version` bigint NOT NULL DEFAULT '0', `type_id` smallint NOT NULL, `description` mediumtext NOT NULL, `required` tinyint NOT NULL, `settings` mediumtext NOT NULL, `version` int NOT NULL DEFAULT '0', UNIQUE INDEX `ix_custom_field_project_id_name_key` (`project_id`, `name_key`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      'CREATE TABLE `custom_field_issue_type` (`custom_field_id` bigint NOT NULL, `issue_type_id` bigint NOT NULL, INDEX `ix_custom_field_issue_type_issue_type_id` (`issue_type_id`), PRIMARY KEY (`custom_field_id`, `issue_type_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `custom_field_item` (`id` bigint NOT NULL AUTO_INCREMENT, `custom_field_id` bigint NOT NULL, `name` varchar(255) NOT NULL, `name_key` varchar(765) NOT NULL, `display_order` int NOT NULL, UNIQUE INDEX `ix_custom_field_item_custom_field_id_name_key` (`custom_field_id`, `name_key`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `issue_custom_field_item` (`issue_id` bigint NOT NULL, `item_id` bigint NOT NULL, INDEX `ix_issue_custom_field_item_item_id` (`item_id`), PRIMARY KEY (`issue_id`, `item_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `issue_custom_field` (`issue_id` bigint NOT NULL, `custom_field_id` bigint NOT NULL, `text_value` mediumtext NULL, `text_key` varchar(100) NULL, `number_value` bigint NULL, `date_value` varchar(10) NULL, `other_value` varchar(255) NULL, INDEX `ix_issue_custom_field_custom_field_id_text_key` (`custom_field_id`, `text_key`), INDEX `ix_issue_custom_field_custom_field_id_date_value` (`custom_field_id`, `date_value`), INDEX `ix_issue_custom_field_custom_field_id_number_value` (`custom_field_id`, `number_value`), PRIMARY KEY (`issue_id`, `custom_field_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `custom_field` ADD CONSTRAINT `fk_custom_field_project_id` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `custom_field_issue_type` ADD CONSTRAINT `fk_custom_field_issue_type_custom_field_id` FOREIGN KEY (`custom_field_id`) REFERENCES `custom_field`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `custom_field_issue_type` ADD CONSTRAINT `fk_custom_field_issue_type_issue_type_id` FOREIGN KEY (`issue_type_id`) REFERENCES `issue_type`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `custom_field_item` ADD CONSTRAINT `fk_custom_field_item_custom_field_id` FOREIGN KEY (`custom_field_id`) REFERENCES `custom_field`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `issue_custom_field_item` ADD CONSTRAINT `fk_issue_custom_field_item_issue_id` FOREIGN KEY (`issue_id`) REFERENCES `issue`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `issue_custom_field_item` ADD CONSTRAINT `fk_issue_custom_field_item_item_id` FOREIGN KEY (`item_id`) REFERENCES `custom_field_item`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `issue_custom_field` ADD CONSTRAINT `fk_issue_custom_field_issue_id` FOREIGN KEY (`issue_id`) REFERENCES `issue`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `issue_custom_field` ADD CONSTRAINT `fk_issue_custom_field_custom_field_id` FOREIGN KEY (`custom_field_id`) REFERENCES `custom_field`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `issue_custom_field` DROP FOREIGN KEY `fk_issue_custom_field_custom_field_id`',
      'ALTER TABLE `issue_custom_field` DROP FOREIGN KEY `fk_issue_custom_field_issue_id`',
      'ALTER TABLE `issue_custom_field_item` DROP FOREIGN KEY `fk_issue_custom_field_item_item_id`',
      'ALTER TABLE `issue_custom_field_item` DROP FOREIGN KEY `fk_issue_custom_field_item_issue_id`',
      'ALTER TABLE `custom_field_item` DROP FOREIGN KEY `fk_custom_field_item_custom_field_id`',
      'ALTER TABLE `custom_field_issue_type` DROP FOREIGN KEY `fk_custom_field_issue_type_issue_type_id`',
      'ALTER TABLE `custom_field_issue_type` DROP FOREIGN KEY `fk_custom_field_issue_type_custom_field_id`',
      'ALTER TABLE `custom_field` DROP FOREIGN KEY `fk_custom_field_project_id`',
      'DROP INDEX `ix_issue_custom_field_custom_field_id_number_value` ON `issue_custom_field`',
      'DROP INDEX `ix_issue_custom_field_custom_field_id_date_value` ON `issue_custom_field`',
      'DROP INDEX `ix_issue_custom_field_custom_field_id_text_key` ON `issue_custom_field`',
      'DROP TABLE `issue_custom_field`',
      'DROP INDEX `ix_issue_custom_field_item_item_id` ON `issue_custom_field_item`',
      'DROP TABLE `issue_custom_field_item`',
      'DROP INDEX `ix_custom_field_item_custom_field_id_name_key` ON `custom_field_item`',
      'DROP TABLE `custom_field_item`',
      'DROP INDEX `ix_custom_field_issue_type_issue_type_id` ON `custom_field_issue_type`',
      'DROP TABLE `custom_field_issue_type`',
      'DROP INDEX `ix_custom_field_project_id_name_key` ON `custom_field`',
      'DROP TABLE `custom_field`',
    ],
  };
}
