import { ActivityType } from '../../src/activities/activity-type';
import { compareFinalState, type FinalState } from './comparison';
import { Ledger } from './ledger';
import { commentText } from './writer';

const TEXT = commentText('w0-1', 1);

/** One record of each kind, all consistent. */
function wholeRemains(): FinalState {
  const ledger = new Ledger();
  ledger.comments.set(1, TEXT);
  ledger.notify(1, [2, 3]);
  ledger.edits.set(50, new Set(['Edit w0-2']));
  ledger.uploads.set(7, 10);
  ledger.attached.add(7);
  const activity = { commentId: 0, content: '', changes: 0, attachmentIds: [], ref: '', revisions: [] };
  return {
    ledger,
    records: {
      comments: [{ id: 1, content: TEXT, logged: 2 }],
      reviewTexts: new Map([[50, 'Edit w0-2']]),
      notified: new Map([[1, new Set([2, 3])]]),
      activities: [
        { ...activity, id: 11, type: ActivityType.IssueCommented, commentId: 1, content: TEXT },
        { ...activity, id: 12, type: ActivityType.CommentNotificationAdded, commentId: 1, changes: 1 },
        { ...activity, id: 13, type: ActivityType.WikiUpdated, attachmentIds: [7] },
      ],
      deliveries: [11, 12, 13].map((activityId) => ({
        messageId: `msg_${activityId + 10}`,
        webhookId: 1,
        activityId,
        digest: `digest of ${activityId}`,
      })),
      attachments: [{ id: 7, storageKey: 'key7', size: 10, isStored: true, isAttached: true }],
      wikiAttachmentIds: new Set([7]),
      damage: [],
    },
    received: [11, 12, 13].map((activityId) => ({
      path: '/hooks/all',
      messageId: `msg_${activityId + 10}`,
      activityId,
      commentId: 0,
      digest: `digest of ${activityId}`,
      count: 1,
      isMixed: false,
      firstAt: 0,
    })),
    repository: { refs: new Map(), reachable: new Set(), locks: [], damage: [] },
    storage: { whole: new Map([['key7', 10]]), partial: [] },
    subscriptions: [{ webhookId: 1, path: '/hooks/all', wants: () => true }],
  };
}

function found(
  change: (remains: FinalState) => void,
): Record<'lost' | 'missing' | 'phantom' | 'doubled', number> {
  const remains = wholeRemains();
  change(remains);
  const { lost, missing, phantom, doubled } = compareFinalState(remains);
  return { lost: lost.length, missing: missing.length, phantom: phantom.length, doubled };
}

const NOTHING = { lost: 0, missing: 0, phantom: 0, doubled: 0 };

describe(compareFinalState, () => {
  it('finds nothing in consistent records', () => {
    expect(found(() => undefined)).toEqual(NOTHING);
  });

  it.each<[string, (remains: FinalState) => void, Partial<typeof NOTHING>]>([
    ['a missing acknowledged comment', ({ ledger }) => ledger.comments.set(2, 'Gone'), { lost: 1 }],
    ['a missing acknowledged notification', ({ ledger }) => ledger.notify(1, [4]), { lost: 1 }],
    ['a missing edit', ({ records }) => records.reviewTexts.set(50, 'Older'), { lost: 1 }],
    ['an upload without its file', ({ storage }) => storage.whole.clear(), { lost: 1 }],
    ['an upload with a truncated file', ({ storage }) => storage.whole.set('key7', 9), { lost: 1 }],
    ['an attached file missing on the page', ({ ledger }) => ledger.attached.add(8), { lost: 1 }],
    ['a damaged database', ({ records }) => records.damage.push('row 1'), { lost: 1 }],
    [
      'a comment without its activity',
      ({ records }) => records.comments.push({ id: 2, content: commentText('w0-9', 0), logged: 0 }),
      { missing: 1 },
    ],
    [
      'a comment written twice',
      ({ records }) => records.comments.push({ id: 2, content: TEXT, logged: 1 }),
      // Its activity and its notification are missing too: its text announces one.
      { phantom: 2, missing: 2 },
    ],
    [
      'a notification without its activity',
      ({ records }) => {
        records.notified.get(1)?.add(4);
        records.comments[0] = { id: 1, content: TEXT, logged: 3 };
      },
      { missing: 1 },
    ],
    [
      'an attached file without its activity',
      ({ records }) => {
        records.attachments.push({ id: 8, storageKey: 'key8', size: 1, isStored: true, isAttached: true });
        records.wikiAttachmentIds.add(8);
      },
      { missing: 1 },
    ],
    [
      'a file marked as attached but missing on the page',
      ({ records }) =>
        records.attachments.push({ id: 8, storageKey: 'key8', size: 1, isStored: true, isAttached: true }),
      { phantom: 1 },
    ],
    ['a file without a row', ({ storage }) => storage.whole.set('key8', 1), { phantom: 1 }],
    ['half a file without a row', ({ storage }) => storage.partial.push('key8'), { phantom: 1 }],
    [
      'an activity without its delivery and its request',
      ({ records, received }) => {
        records.deliveries.shift();
        (received as unknown[]).shift();
      },
      { missing: 1 },
    ],
    ['a delivery that never arrived', ({ received }) => (received as unknown[]).shift(), { missing: 1 }],
    [
      'a request for a missing delivery',
      ({ received }) => (received as unknown[]).push({ ...received[0], messageId: 'msg_99' }),
      { phantom: 1 },
    ],
    [
      'a request with another payload than was written',
      ({ received }) => Object.assign(received[0] as object, { digest: 'another' }),
      { phantom: 1 },
    ],
    [
      'a second request with another payload than the first',
      ({ received }) => Object.assign(received[0] as object, { isMixed: true, count: 2 }),
      { phantom: 1, doubled: 1 },
    ],
    [
      'a second and a third request with one id',
      ({ received }) => Object.assign(received[0] as object, { count: 3 }),
      { doubled: 2 },
    ],
  ])('finds %s', (_name, change, expected) => {
    expect(found(change)).toEqual({ ...NOTHING, ...expected });
  });
});
