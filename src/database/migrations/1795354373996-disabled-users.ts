import { DialectMigration } from './dialect-migration';

export class DisabledUsers1795354373996 extends DialectMigration {
  readonly name = 'DisabledUsers1795354373996';

  protected readonly sqlite = {
    up: ['ALTER TABLE "user" ADD COLUMN "disabled" boolean NOT NULL DEFAULT (0)'],
  };

  protected readonly mysql = {
    up: ['ALTER TABLE `user` ADD `disabled` tinyint NOT NULL DEFAULT 0'],
    down: ['ALTER TABLE `user` DROP COLUMN `disabled`'],
  };
}
