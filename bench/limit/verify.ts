import { isDeepStrictEqual } from 'node:util';
import { type DataSource } from 'typeorm';
import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/connections/data-source';
import { type LoadRequest } from '../support/load';
import { type Server } from '../support/processes';
import { different, send } from '../support/verify-reads';

/** The service and the limit on the same database. */
export interface Pair {
  service: Server;
  limit: Server;
}

/** Verifies that both respond alike to an addition, except for ids and times, and write the same rows. */
export async function verifyWrites(pair: Pair, databaseUrl: string, request: LoadRequest): Promise<void> {
  const dataSource = createDataSource({ DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: 1 }, entities, true);
  await dataSource.initialize();
  try {
    // The first request of a caller also updates the time of last use.
    await send(pair.service, request);
    const expected = await addedBy(dataSource, pair.service, request);
    const given = await addedBy(dataSource, pair.limit, request);
    if (!isDeepStrictEqual(expected, given)) {
      throw different(request, JSON.stringify(expected), JSON.stringify(given));
    }
  } finally {
    await dataSource.destroy();
  }
}

interface Added {
  answer: unknown;
  rowsByTable: Record<string, number>;
  comment: unknown;
  notifications: unknown;
  activity: unknown;
  issue: unknown;
}

async function addedBy(dataSource: DataSource, server: Server, request: LoadRequest): Promise<Added> {
  const before = await countRows(dataSource);
  const body = await send(server, request);
  const after = await countRows(dataSource);
  const { id } = JSON.parse(body) as { id: number };
  const rows = (sql: string, parameters: unknown[] = []): Promise<{ content?: string }[]> =>
    dataSource.query<{ content?: string }[]>(sql, parameters);
  const [activity] = await rows(
    'SELECT project_id, type, content, created_user_id FROM activity ORDER BY id DESC LIMIT 1',
  );
  return {
    answer: withoutIdentity(JSON.parse(body)),
    rowsByTable: Object.fromEntries(
      Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]),
    ),
    comment: await rows('SELECT thread_id, content, change_log, created_user_id FROM comment WHERE id = ?', [
      id,
    ]),
    notifications: await rows(
      `SELECT project_id, thread_id, sender_id, user_id, text, reason, already_read, resource_already_read
         FROM notification WHERE comment_id = ? ORDER BY id`,
      [id],
    ),
    activity: { ...activity, content: activity?.content?.replace(`"comment":{"id":${id},`, '"comment":{') },
    issue: await rows(
      `SELECT i.updated_user_id, i.updated - c.created AS after
         FROM issue i JOIN comment c ON c.thread_id = i.thread_id WHERE c.id = ?`,
      [id],
    ),
  };
}

/** Removes ids and times, and keeps the order of keys, which is part of the response. */
const withoutIdentity = (answer: unknown): string =>
  JSON.stringify(answer, (key, value: unknown) => {
    if (key === 'created' || key === 'updated') return '';
    const isOwned =
      typeof value === 'object' && value !== null && ('changeLog' in value || 'reason' in value);
    return isOwned ? { ...value, id: 0 } : value;
  });

async function countRows(dataSource: DataSource): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { tableName } of dataSource.entityMetadatas) {
    const [row] = await dataSource.query<{ count: number | string }[]>(
      `SELECT COUNT(*) AS count FROM ${dataSource.driver.escape(tableName)}`,
    );
    counts[tableName] = Number(row?.count);
  }
  return counts;
}
