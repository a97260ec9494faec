import { DialectMigration } from './dialect-migration';

export class AuditLog1795354931934 extends DialectMigration {
  readonly name = 'AuditLog1795354931934';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "audit_log_entry" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "created" integer NOT NULL, "actor_id" integer, "actor_name" varchar(255) NOT NULL, "address" varchar(64), "action" varchar(50) NOT NULL, "subject_id" integer NOT NULL, "subject_name" varchar(255) NOT NULL, "project_id" integer, "project_key" varchar(255), "changes" mediumtext NOT NULL)',
      'CREATE INDEX "ix_audit_log_entry_action_id" ON "audit_log_entry" ("action", "id") ',
      'CREATE INDEX "ix_audit_log_entry_actor_id_id" ON "audit_log_entry" ("actor_id", "id") ',
      'CREATE INDEX "ix_audit_log_entry_created" ON "audit_log_entry" ("created") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `audit_log_entry` (`id` bigint NOT NULL AUTO_INCREMENT, `created` bigint NOT NULL, `actor_id` bigint NULL, `actor_name` varchar(255) NOT NULL, `address` varchar(64) NULL, `action` varchar(50) NOT NULL, `subject_id` bigint NOT NULL, `subject_name` varchar(255) NOT NULL, `project_id` bigint NULL, `project_key` varchar(255) NULL, `changes` mediumtext NOT NULL, INDEX `ix_audit_log_entry_action_id` (`action`, `id`), INDEX `ix_audit_log_entry_actor_id_id` (`actor_id`, `id`), INDEX `ix_audit_log_entry_created` (`created`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
    ],
    down: [
      'DROP INDEX `ix_audit_log_entry_created` ON `audit_log_entry`',
      'DROP INDEX `ix_audit_log_entry_actor_id_id` ON `audit_log_entry`',
      'DROP INDEX `ix_audit_log_entry_action_id` ON `audit_log_entry`',
      'DROP TABLE `audit_log_entry`',
    ],
  };
}
