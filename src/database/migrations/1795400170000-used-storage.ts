import { DialectMigration } from './dialect-migration';

export class UsedStorage1795400170000 extends DialectMigration {
  readonly name = 'UsedStorage1795400170000';

  protected readonly sqlite = {
    up: ['CREATE TABLE "used_storage" ("shard" smallint PRIMARY KEY NOT NULL, "bytes" integer NOT NULL)'],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `used_storage` (`shard` smallint NOT NULL, `bytes` bigint NOT NULL, PRIMARY KEY (`shard`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
    ],
    // Repeatable from the start if it is interrupted.
    down: [
      'CREATE TABLE IF NOT EXISTS `used_storage` (`shard` smallint NOT NULL, `bytes` bigint NOT NULL, PRIMARY KEY (`shard`))',
      'START TRANSACTION',
      'UPDATE `space` SET `used_bytes` = `used_bytes` + (SELECT COALESCE(SUM(`bytes`), 0) FROM `used_storage`)',
      'DELETE FROM `used_storage`',
      'COMMIT',
      'DROP TABLE `used_storage`',
    ],
  };
}
