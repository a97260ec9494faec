import { DialectMigration } from './dialect-migration';

/** The pace of letters, which all processes share. Older processes keep none, and leave the column alone. */
export class PaceOfLetters1795739000000 extends DialectMigration {
  readonly name = 'PaceOfLetters1795739000000';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: ['ALTER TABLE "mail_server" ADD COLUMN "next_at" integer NOT NULL DEFAULT (0)'],
  };

  protected readonly mysql = {
    up: ['ALTER TABLE `mail_server` ADD `next_at` bigint NOT NULL DEFAULT 0'],
    down: ['ALTER TABLE `mail_server` DROP COLUMN `next_at`'],
  };
}
