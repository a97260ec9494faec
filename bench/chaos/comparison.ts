import { ActivityType } from '../../src/activities/activity-type';
import { type Received } from '../support/receiver-server';
import { type Differences } from './differences';
import { type Ledger } from './ledger';
import { type DatabaseRecords } from './records';
import { comparePushes } from './push-comparison';
import { type RepositoryRecords } from './repository';
import { type readStorage } from './storage';
import { notifiedWith } from './writer';

/** A webhook of the run. */
export interface Subscription {
  webhookId: number;
  /** Path at which the receiver gets its deliveries. */
  path: string;
  wants: (type: ActivityType) => boolean;
}

/** The state after a run: the clients' ledger, the database, the storage and the receiver. */
export interface FinalState {
  ledger: Ledger;
  records: DatabaseRecords;
  received: readonly Received[];
  storage: Awaited<ReturnType<typeof readStorage>>;
  /** Undefined without git. */
  repository: RepositoryRecords | undefined;
  subscriptions: readonly Subscription[];
}

/** Compares what was acknowledged to clients with what the database and the storage hold, and with what the receiver got. */
export function compareFinalState(remains: FinalState): Differences {
  const differences: Differences = { lost: [], missing: [], phantom: [], doubled: 0 };
  differences.lost.push(...remains.records.damage);
  compareAcknowledged(remains, differences);
  compareComments(remains, differences);
  compareAttachments(remains, differences);
  const { ledger, records, repository } = remains;
  if (repository)
    comparePushes({ pushes: ledger.pushes, activities: records.activities, repository }, differences);
  compareDeliveries(remains, differences);
  compareReceived(remains, differences);
  return differences;
}

function compareAcknowledged({ ledger, records, storage }: FinalState, { lost }: Differences): void {
  const texts = new Map(records.comments.map(({ id, content }) => [id, content]));
  for (const [id, content] of ledger.comments) {
    if (texts.get(id) !== content) lost.push(`comment ${id}`);
  }
  for (const [id, userIds] of ledger.notified) {
    for (const userId of userIds) {
      if (!records.notified.get(id)?.has(userId))
        lost.push(`notification of user ${userId} of comment ${id}`);
    }
  }
  for (const [id, allowed] of ledger.edits) {
    if (!allowed.has(records.reviewTexts.get(id) ?? '')) lost.push(`edit of comment ${id}`);
  }
  const attachments = new Map(records.attachments.map((attachment) => [attachment.id, attachment]));
  for (const [id, size] of ledger.uploads) {
    const attachment = attachments.get(id);
    const isWhole = attachment?.isStored === true && attachment.size === size;
    if (!isWhole || storage.whole.get(attachment.storageKey) !== size) lost.push(`upload ${id}`);
  }
  for (const id of ledger.attached) {
    if (!records.wikiAttachmentIds.has(id)) lost.push(`attachment ${id} of a wiki page`);
  }
}

/** Checks that each comment has exactly one activity of type 3, and each notification added later is in one activity of type 17. */
function compareComments({ records }: FinalState, { missing, phantom }: Differences): void {
  const added = new Map<number, string>();
  const told = new Map<number, number>();
  for (const activity of records.activities) {
    const { id, type, commentId, content, changes } = activity;
    if (type === ActivityType.IssueCommented) {
      if (added.has(commentId)) phantom.push(`second activity ${id} of comment ${commentId}`);
      added.set(commentId, content);
    } else if (type === ActivityType.CommentNotificationAdded) {
      told.set(commentId, (told.get(commentId) ?? 0) + changes);
    } else if (type !== ActivityType.WikiUpdated && type !== ActivityType.GitPushed) {
      phantom.push(`activity ${id} of type ${type}`);
    }
  }
  const texts = new Set<string>();
  for (const { id, content, logged } of records.comments) {
    // Every text is unique, so a repeated text was written twice.
    if (texts.has(content)) phantom.push(`comment ${id}, written again`);
    texts.add(content);
    if (added.get(id) !== content) missing.push(`activity of comment ${id}`);
    added.delete(id);
    const notified = records.notified.get(id)?.size ?? 0;
    const expected = notifiedWith(content) + (told.get(id) ?? 0);
    if (notified > expected) missing.push(`activity of a notification of comment ${id}`);
    if (notified < expected) phantom.push(`activity of a notification of comment ${id}`);
    if (logged !== notified) missing.push(`change log of comment ${id}`);
    told.delete(id);
  }
  for (const id of [...added.keys(), ...told.keys()]) phantom.push(`activity of comment ${id}`);
}

/** Checks that each attachment of a wiki page has exactly one activity of type 6, and that every file has a row. */
function compareAttachments({ records, storage }: FinalState, { missing, phantom }: Differences): void {
  const told = new Set<number>();
  for (const id of records.activities.flatMap((activity) => activity.attachmentIds)) {
    if (told.has(id)) phantom.push(`second activity of attachment ${id}`);
    if (!records.wikiAttachmentIds.has(id)) phantom.push(`activity of attachment ${id}`);
    told.add(id);
  }
  for (const { id, isAttached } of records.attachments) {
    const isOnPage = records.wikiAttachmentIds.has(id);
    if (isOnPage !== isAttached) phantom.push(`half an attachment ${id}`);
    if (isOnPage && !told.has(id)) missing.push(`activity of attachment ${id}`);
  }
  const keys = new Set(records.attachments.map(({ storageKey }) => storageKey));
  for (const key of [...storage.whole.keys(), ...storage.partial]) {
    if (!keys.has(key)) phantom.push(`file ${key}`);
  }
}

const pairOf = (activityId: number, webhookId: number): string =>
  `activity ${activityId} to webhook ${webhookId}`;

/** Checks that each activity has one delivery to each webhook subscribed to it, and that there are no others. */
function compareDeliveries({ records, subscriptions }: FinalState, { missing, phantom }: Differences): void {
  const expected = new Set(
    records.activities.flatMap(({ id, type }) =>
      subscriptions.filter(({ wants }) => wants(type)).map(({ webhookId }) => pairOf(id, webhookId)),
    ),
  );
  for (const { activityId, webhookId } of records.deliveries) {
    const pair = pairOf(activityId, webhookId);
    if (!expected.delete(pair)) phantom.push(`delivery of ${pair}`);
  }
  missing.push(...[...expected].map((pair) => `delivery of ${pair}`));
}

/** Checks that every delivery has arrived with its payload, and that no other request has arrived. */
function compareReceived({ records, received, subscriptions }: FinalState, differences: Differences): void {
  const deliveries = new Map(records.deliveries.map((delivery) => [delivery.messageId, delivery]));
  const webhookIds = new Map(subscriptions.map(({ path, webhookId }) => [path, webhookId]));
  const arrived = new Set<string>();
  for (const { path, messageId, activityId, digest, isMixed, count } of received) {
    const delivery = deliveries.get(messageId);
    const isKnown =
      delivery?.webhookId === webhookIds.get(path) &&
      delivery?.activityId === activityId &&
      delivery.digest === digest;
    if (!isKnown || isMixed) differences.phantom.push(`${messageId} at ${path}`);
    arrived.add(messageId);
    differences.doubled += count - 1;
  }
  for (const messageId of deliveries.keys()) {
    if (!arrived.has(messageId)) differences.missing.push(`request for ${messageId}`);
  }
}
