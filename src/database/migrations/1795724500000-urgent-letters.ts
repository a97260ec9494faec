import { DialectMigration } from './dialect-migration';

/** Letters that go first at each attempt. Those of older processes are not marked: these make them due earlier instead. */
export class UrgentLetters1795724500000 extends DialectMigration {
  readonly name = 'UrgentLetters1795724500000';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'ALTER TABLE "mail_letter" ADD COLUMN "is_urgent" boolean NOT NULL DEFAULT (0)',
      'CREATE INDEX "ix_mail_letter_state_is_urgent_next_at" ON "mail_letter" ("state", "is_urgent", "next_at") ',
      'DROP INDEX "ix_mail_letter_state_next_at"',
    ],
  };

  protected readonly mysql = {
    up: [
      'ALTER TABLE `mail_letter` ADD `is_urgent` tinyint NOT NULL DEFAULT 0',
      'CREATE INDEX `ix_mail_letter_state_is_urgent_next_at` ON `mail_letter` (`state`, `is_urgent`, `next_at`)',
      'DROP INDEX `ix_mail_letter_state_next_at` ON `mail_letter`',
    ],
    down: [
      'CREATE INDEX `ix_mail_letter_state_next_at` ON `mail_letter` (`state`, `next_at`)',
      'DROP INDEX `ix_mail_letter_state_is_urgent_next_at` ON `mail_letter`',
      'ALTER TABLE `mail_letter` DROP COLUMN `is_urgent`',
    ],
  };
}
