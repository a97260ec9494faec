import { DialectMigration } from './dialect-migration';

export class Invitations1795712201635 extends DialectMigration {
  readonly name = 'Invitations1795712201635';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "invitation" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "mail_address" varchar(255) NOT NULL, "role_type" smallint NOT NULL, "project_ids" mediumtext NOT NULL, "team_ids" mediumtext NOT NULL, "token_hash" varchar(64) NOT NULL, "created_user_id" integer, "created" integer NOT NULL, "expires" integer NOT NULL, "accepted" integer, "accepted_user_id" integer, CONSTRAINT "uq_invitation_token_hash" UNIQUE ("token_hash"), CONSTRAINT "fk_invitation_created_user_id" FOREIGN KEY ("created_user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_invitation_accepted_user_id" FOREIGN KEY ("accepted_user_id") REFERENCES "user" ("id") ON DELETE SET NULL ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_invitation_created_user_id" ON "invitation" ("created_user_id") ',
      'CREATE INDEX "ix_invitation_expires" ON "invitation" ("expires") ',
      'CREATE INDEX "ix_invitation_accepted_user_id" ON "invitation" ("accepted_user_id") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `invitation` (`id` bigint NOT NULL AUTO_INCREMENT, `mail_address` varchar(255) NOT NULL, `role_type` smallint NOT NULL, `project_ids` mediumtext NOT NULL, `team_ids` mediumtext NOT NULL, `token_hash` varchar(64) NOT NULL, `created_user_id` bigint NULL, `created` bigint NOT NULL, `expires` bigint NOT NULL, `accepted` bigint NULL, `accepted_user_id` bigint NULL, INDEX `ix_invitation_created_user_id` (`created_user_id`), INDEX `ix_invitation_expires` (`expires`), INDEX `ix_invitation_accepted_user_id` (`accepted_user_id`), UNIQUE INDEX `ix_invitation_token_hash` (`token_hash`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `invitation` ADD CONSTRAINT `fk_invitation_created_user_id` FOREIGN KEY (`created_user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `invitation` ADD CONSTRAINT `fk_invitation_accepted_user_id` FOREIGN KEY (`accepted_user_id`) REFERENCES `user`(`id`) ON DELETE SET NULL ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `invitation` DROP FOREIGN KEY `fk_invitation_accepted_user_id`',
      'ALTER TABLE `invitation` DROP FOREIGN KEY `fk_invitation_created_user_id`',
      'DROP INDEX `ix_invitation_token_hash` ON `invitation`',
      'DROP INDEX `ix_invitation_accepted_user_id` ON `invitation`',
      'DROP INDEX `ix_invitation_expires` ON `invitation`',
      'DROP INDEX `ix_invitation_created_user_id` ON `invitation`',
      'DROP TABLE `invitation`',
    ],
  };
}
