import { DialectMigration } from './dialect-migration';

export class SearchIndex1795400090000 extends DialectMigration {
  readonly name = 'SearchIndex1795400090000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "search_index" ("kind" smallint PRIMARY KEY NOT NULL, "block_size" integer NOT NULL, "blocks" integer NOT NULL, "version" varchar(32) NOT NULL, "builder" varchar(36) NOT NULL, "leased_until" integer NOT NULL, "created" integer NOT NULL, "rewriting" integer, "rewrites" integer NOT NULL)',
      'CREATE TABLE "search_block" ("kind" smallint NOT NULL, "block" integer NOT NULL, "records" integer NOT NULL, "changed" integer NOT NULL, PRIMARY KEY ("kind", "block"))',
      'CREATE TABLE "search_posting" ("kind" smallint NOT NULL, "block" integer NOT NULL, "gram" integer NOT NULL, "members" blob NOT NULL, PRIMARY KEY ("kind", "block", "gram")) WITHOUT ROWID',
      'CREATE TABLE "search_change" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "kind" smallint NOT NULL, "record_id" integer NOT NULL)',
      'CREATE INDEX "ix_search_change_kind_id" ON "search_change" ("kind", "id") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `search_index` (`kind` smallint NOT NULL, `block_size` int NOT NULL, `blocks` int NOT NULL, `version` varchar(32) NOT NULL, `builder` varchar(36) NOT NULL, `leased_until` bigint NOT NULL, `created` bigint NOT NULL, `rewriting` int NULL, `rewrites` int NOT NULL, PRIMARY KEY (`kind`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `search_block` (`kind` smallint NOT NULL, `block` int NOT NULL, `records` int NOT NULL, `changed` int NOT NULL, PRIMARY KEY (`kind`, `block`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `search_posting` (`kind` smallint NOT NULL, `block` int NOT NULL, `gram` int NOT NULL, `members` blob NOT NULL, PRIMARY KEY (`kind`, `block`, `gram`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `search_change` (`id` bigint NOT NULL AUTO_INCREMENT, `kind` smallint NOT NULL, `record_id` bigint NOT NULL, INDEX `ix_search_change_kind_id` (`kind`, `id`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
    ],
    down: [
      'DROP TABLE `search_change`',
      'DROP TABLE `search_posting`',
      'DROP TABLE `search_block`',
      'DROP TABLE `search_index`',
    ],
  };
}
