import { type QueryRunner } from 'typeorm';
import { isEmbedded } from '../sql/statements';
import { DialectMigration } from './dialect-migration';

/** Matches a reference to a long text in JSON. */
const REFERENCE = /\{"\$text":"([\w-]{43})"\}/g;
const BATCH = 200;

export class ActivityTexts1795305292174 extends DialectMigration {
  readonly name = 'ActivityTexts1795305292174';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "activity_text" ("digest" varchar(43) PRIMARY KEY NOT NULL, "project_id" integer NOT NULL, "text" mediumtext NOT NULL, CONSTRAINT "fk_activity_text_project_id" FOREIGN KEY ("project_id") REFERENCES "project" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_activity_text_project_id" ON "activity_text" ("project_id") ',
      'ALTER TABLE "wiki_version" ADD COLUMN "content_version" integer',
      // Stays empty for existing deliveries, which keep the id they were sent with.
      'ALTER TABLE "webhook_delivery" ADD COLUMN "message_id" varchar(28)',
      'ALTER TABLE "webhook" ADD COLUMN "previous_secrets" mediumtext',
      `UPDATE "webhook" SET "previous_secrets" = '[{"secret":"' || "previous_secret" || '","expires":' || COALESCE("previous_secret_expires", 0) || '}]' WHERE "previous_secret" IS NOT NULL`,
      'ALTER TABLE "webhook" DROP COLUMN "previous_secret"',
      'ALTER TABLE "webhook" DROP COLUMN "previous_secret_expires"',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `activity_text` (`digest` varchar(43) NOT NULL, `project_id` bigint NOT NULL, `text` mediumtext NOT NULL, INDEX `ix_activity_text_project_id` (`project_id`), PRIMARY KEY (`digest`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `activity_text` ADD CONSTRAINT `fk_activity_text_project_id` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `wiki_version` ADD `content_version` int NULL',
      // Stays empty for existing deliveries, which keep the id they were sent with.
      'ALTER TABLE `webhook_delivery` ADD `message_id` varchar(28) NULL',
      'ALTER TABLE `webhook` ADD `previous_secrets` mediumtext NULL',
      `UPDATE \`webhook\` SET \`previous_secrets\` = CONCAT('[{"secret":"', \`previous_secret\`, '","expires":', COALESCE(\`previous_secret_expires\`, 0), '}]') WHERE \`previous_secret\` IS NOT NULL`,
      'ALTER TABLE `webhook` DROP COLUMN `previous_secret`',
      'ALTER TABLE `webhook` DROP COLUMN `previous_secret_expires`',
    ],
    down: [
      'ALTER TABLE `webhook` ADD `previous_secret_expires` bigint NULL',
      'ALTER TABLE `webhook` ADD `previous_secret` varchar(255) COLLATE "utf8mb4_bin" NULL',
      "UPDATE `webhook` SET `previous_secret` = JSON_UNQUOTE(JSON_EXTRACT(`previous_secrets`, '$[0].secret')), `previous_secret_expires` = JSON_EXTRACT(`previous_secrets`, '$[0].expires') WHERE `previous_secrets` IS NOT NULL",
      'ALTER TABLE `webhook` DROP COLUMN `previous_secrets`',
      'ALTER TABLE `webhook_delivery` DROP COLUMN `message_id`',
      'UPDATE `wiki_version` v JOIN `wiki_version` s ON s.`wiki_id` = v.`wiki_id` AND s.`version` = v.`content_version` SET v.`content` = s.`content`',
      'ALTER TABLE `wiki_version` DROP COLUMN `content_version`',
      'ALTER TABLE `activity_text` DROP FOREIGN KEY `fk_activity_text_project_id`',
      'DROP TABLE `activity_text`',
    ],
  };

  /** First replaces references to long texts with the texts; rows without references are left alone. */
  override async down(queryRunner: QueryRunner): Promise<void> {
    if (!isEmbedded(queryRunner.dataSource)) {
      await putTextsBack(queryRunner, 'activity', 'content');
      await putTextsBack(queryRunner, 'webhook_event', 'payload');
    }
    await super.down(queryRunner);
  }
}

async function putTextsBack(queryRunner: QueryRunner, table: string, column: string): Promise<void> {
  for (let after = 0; ;) {
    const rows = (await queryRunner.query(
      `SELECT id, ${column} AS json FROM ${table} WHERE id > ? AND LOCATE('{"$text":"', ${column}) > 0 ORDER BY id LIMIT ${BATCH}`,
      [after],
    )) as { id: number; json: string }[];
    for (const { id, json } of rows) {
      const digests = [...json.matchAll(REFERENCE)].map(([, digest]) => digest);
      const texts = (await queryRunner.query(
        `SELECT digest, text FROM activity_text WHERE digest IN (${digests.map(() => '?').join(',')})`,
        digests,
      )) as { digest: string; text: string }[];
      const byDigest = new Map(texts.map(({ digest, text }) => [digest, text]));
      const complete = json.replace(REFERENCE, (_reference, digest: string) =>
        JSON.stringify(byDigest.get(digest) ?? ''),
      );
      await queryRunner.query(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, [complete, id]);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
