import { createHash } from 'node:crypto';
import { type DataSource } from 'typeorm';
import { findTexts } from '../../src/activities/data/activity-text.repository';
import { parseWithTexts, withTexts } from '../../src/activities/text-references';
import { ActivityType } from '../../src/activities/activity-type';
import { REPOSITORY } from '../support/seed';

interface CommentRecord {
  id: number;
  content: string;
  /** Entries of its change log about notified users. */
  logged: number;
}

interface ActivityRecord {
  id: number;
  type: ActivityType;
  /** For types 3 and 17. */
  commentId: number;
  content: string;
  changes: number;
  /** For type 6. */
  attachmentIds: number[];
  /** For type 12: the branch or tag, and the commits that reached it. */
  ref: string;
  revisions: string[];
}

interface DeliveryRecord {
  messageId: string;
  webhookId: number;
  activityId: number;
  digest: string;
}

interface AttachmentRecord {
  id: number;
  storageKey: string;
  size: number;
  isStored: boolean;
  isAttached: boolean;
}

/** The contents of a database after a run. */
export interface DatabaseRecords {
  comments: CommentRecord[];
  reviewTexts: Map<number, string>;
  notified: Map<number, Set<number>>;
  activities: ActivityRecord[];
  deliveries: DeliveryRecord[];
  attachments: AttachmentRecord[];
  /** Attachments of wiki pages. */
  wikiAttachmentIds: Set<number>;
  /** Errors reported by the database's integrity check; empty when it is sound, or has no such check. */
  damage: string[];
}

interface ActivityContent {
  comment?: { id: number; content: string };
  changes?: unknown[];
  attachments?: { id: number }[];
  ref?: string;
  revisions?: { rev: string }[];
}

/** Reads everything that a run may have written. */
export async function readRecords(dataSource: DataSource): Promise<DatabaseRecords> {
  const comments = await dataSource.query<{ id: number; content: string; changeLog: string }[]>(
    `SELECT c.id AS id, c.content AS content, c.change_log AS changeLog
       FROM comment c JOIN issue i ON i.thread_id = c.thread_id`,
  );
  const reviews = await dataSource.query<{ id: number; content: string }[]>(
    `SELECT c.id AS id, c.content AS content FROM comment c JOIN pull_request p ON p.thread_id = c.thread_id`,
  );
  const activities = await dataSource.query<{ id: number; type: ActivityType; content: string }[]>(
    'SELECT id, type, content FROM activity',
  );
  const texts = await findTexts(
    dataSource,
    activities.map(({ content }) => content),
  );
  const attachments = await dataSource.query<Record<keyof AttachmentRecord, unknown>[]>(
    // "stored" is a reserved word in MySQL.
    `SELECT id, storage_key AS storageKey, size, a.stored AS isStored, attached AS isAttached FROM attachment a`,
  );
  const attached = await dataSource.query<{ id: number }[]>(
    'SELECT attachment_id AS id FROM wiki_attachment',
  );
  return {
    comments: comments.map(({ id, content, changeLog }) => ({
      id,
      content,
      logged: (JSON.parse(changeLog) as unknown[]).length,
    })),
    reviewTexts: new Map(reviews.map(({ id, content }) => [id, content])),
    notified: await readNotified(dataSource),
    activities: activities.map(({ id, type, content }) =>
      toActivityRecord(id, type, parseWithTexts(content, texts) ?? {}),
    ),
    deliveries: await readDeliveries(dataSource),
    attachments: attachments.map(({ id, storageKey, size, isStored, isAttached }) => ({
      id: Number(id),
      storageKey: String(storageKey),
      size: Number(size),
      isStored: Boolean(isStored),
      isAttached: Boolean(isAttached),
    })),
    wikiAttachmentIds: new Set(attached.map(({ id }) => id)),
    damage: await readDamage(dataSource),
  };
}

/** Returns the number of pending deliveries. */
export async function countPending(dataSource: DataSource): Promise<number> {
  const [row] = await dataSource.query<{ count: number | string }[]>(
    'SELECT COUNT(*) AS count FROM webhook_delivery WHERE state = 0',
  );
  return Number(row?.count);
}

/** Returns the id of the repository that receives the pushes. */
export async function findRepositoryId(dataSource: DataSource): Promise<number> {
  const [row] = await dataSource.query<{ id: number | string }[]>(
    `SELECT id AS id FROM git_repository WHERE name = '${REPOSITORY}'`,
  );
  return Number(row?.id);
}

/** Returns the branches and tags of a repository whose changes have been recorded as activities. */
export async function readRecordedRefs(dataSource: DataSource, id: number): Promise<Map<string, string>> {
  const rows = await dataSource.query<{ name: string; hash: string }[]>(
    `SELECT name AS name, hash AS hash FROM git_ref WHERE repository_id = ${id}`,
  );
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

async function readNotified(dataSource: DataSource): Promise<Map<number, Set<number>>> {
  const rows = await dataSource.query<{ commentId: number; userId: number }[]>(
    'SELECT comment_id AS commentId, user_id AS userId FROM notification WHERE comment_id IS NOT NULL',
  );
  const notified = new Map<number, Set<number>>();
  for (const { commentId, userId } of rows) {
    const known = notified.get(commentId);
    if (known) known.add(userId);
    else notified.set(commentId, new Set([userId]));
  }
  return notified;
}

async function readDeliveries(dataSource: DataSource): Promise<DeliveryRecord[]> {
  const events = await dataSource.query<{ id: number; activityId: number; payload: string }[]>(
    'SELECT id, activity_id AS activityId, payload FROM webhook_event',
  );
  const texts = await findTexts(
    dataSource,
    events.map(({ payload }) => payload),
  );
  const byId = new Map(
    events.map(({ id, activityId, payload }) => [
      id,
      {
        activityId,
        digest: createHash('sha256')
          .update(withTexts(payload, texts) ?? '')
          .digest('base64'),
      },
    ]),
  );
  const deliveries = await dataSource.query<{ messageId: string; webhookId: number; eventId: number }[]>(
    'SELECT message_id AS messageId, webhook_id AS webhookId, event_id AS eventId FROM webhook_delivery',
  );
  return deliveries.map(({ messageId, webhookId, eventId }) => {
    const { activityId, digest } = byId.get(eventId) ?? { activityId: 0, digest: '' };
    return { messageId, webhookId, activityId, digest };
  });
}

function toActivityRecord(id: number, type: ActivityType, content: ActivityContent): ActivityRecord {
  const { comment, changes = [], attachments = [], ref = '', revisions = [] } = content;
  return {
    id,
    type,
    commentId: comment?.id ?? 0,
    content: comment?.content ?? '',
    changes: changes.length,
    attachmentIds: type === ActivityType.WikiUpdated ? attachments.map((attachment) => attachment.id) : [],
    ref,
    revisions: revisions.map(({ rev }) => rev),
  };
}

async function readDamage(dataSource: DataSource): Promise<string[]> {
  if (dataSource.options.type !== 'better-sqlite3') return [];
  const problems = await dataSource.query<{ integrity_check: string }[]>('PRAGMA integrity_check');
  const broken = await dataSource.query<object[]>('PRAGMA foreign_key_check');
  return [
    ...problems.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...broken.map((row) => JSON.stringify(row)),
  ];
}
