import { toAccount, toBranch, toChanges, toMilestone, toPullRequestStatus, toResolution } from './convert';
import * as wire from './wire';

const ada = { id: 1, login: 'ada', type: 'User' };
const SHA = 'a'.repeat(40);

describe(toChanges.name, () => {
  const issue = { isPullRequest: false, mergedAt: null };
  const pullRequest = { isPullRequest: true, mergedAt: Date.parse('2024-01-02T00:00:00Z') };

  const shown = (event: object, subject: typeof issue | typeof pullRequest = issue) =>
    toChanges(
      wire.event.parse({ id: 1, actor: ada, created_at: '2024-01-02T00:00:00Z', ...event }),
      subject,
    ).map(({ field, originalValue, newValue }) => [field, originalValue, newValue]);

  it.each<[object, string[][]]>([
    [{ event: 'closed' }, [['status', 'Open', 'Closed']]],
    [
      { event: 'closed', state_reason: 'duplicate' },
      [
        ['status', 'Open', 'Closed'],
        ['resolution', '', 'Duplicate'],
      ],
    ],
    [{ event: 'reopened' }, [['status', 'Closed', 'Open']]],
    [{ event: 'renamed', rename: { from: 'Old', to: 'New' } }, [['summary', 'Old', 'New']]],
    [{ event: 'assigned', assignee: ada }, [['assigner', '', 'ada']]],
    [{ event: 'unassigned', assignee: ada }, [['assigner', 'ada', '']]],
    [{ event: 'assigned', assignee: null }, []],
    [{ event: 'labeled', label: { name: 'bug' } }, [['component', '', 'bug']]],
    [{ event: 'unlabeled', label: { name: 'bug' } }, [['component', 'bug', '']]],
    [{ event: 'milestoned', milestone: { title: 'v1' } }, [['milestone', '', 'v1']]],
    [{ event: 'demilestoned', milestone: { title: 'v1' } }, [['milestone', 'v1', '']]],
    [{ event: 'subscribed' }, []],
    [{ event: '__proto__' }, []],
  ])('shows the event %j of an issue', (event, changes) => {
    expect(shown(event)).toEqual(changes);
  });

  it.each<[object, string[][]]>([
    [{ event: 'merged' }, [['status', 'Open', 'Merged']]],
    // With each merge, the pull request is also closed.
    [{ event: 'closed' }, []],
    [{ event: 'closed', created_at: '2024-01-01T00:00:00Z' }, [['status', 'Open', 'Closed']]],
    [{ event: 'assigned', assignee: ada }, [['assignee', '', 'ada']]],
    [{ event: 'labeled', label: { name: 'bug' } }, []],
  ])('shows the event %j of a merged pull request', (event, changes) => {
    expect(shown(event, pullRequest)).toEqual(changes);
  });

  it('shows texts that a database accepts', () => {
    const [[, , name]] = shown({ event: 'labeled', label: { name: `\ud800${'x'.repeat(5000)}` } }) as [
      string[],
    ];
    expect([name?.isWellFormed(), name?.length]).toEqual([true, 1000]);
  });
});

describe(toBranch.name, () => {
  const pullRequest = (head: object) =>
    wire.pullRequest.parse({
      ...{ id: 1, number: 1, title: '', state: 'closed', base: { ref: 'main', sha: SHA } },
      ...{ created_at: '2024-01-01T00:00:00Z', updated_at: '2024-01-01T00:00:00Z' },
      head: { ref: 'main', sha: SHA, ...head },
    });

  it.each([
    [{ repo: { id: 7 }, label: 'octo:main' }, 'main'],
    [{ repo: { id: 8 }, label: 'eve:main' }, 'eve:main'],
    [{ repo: null, label: null }, 'unknown:main'],
  ])('returns the branch of %j', (head, branch) => {
    expect(toBranch(pullRequest(head), 7)).toBe(branch);
  });

  it('leaves a pull request closed that was not merged', () => {
    expect(toPullRequestStatus(pullRequest({}))).toBe(2);
  });
});

describe(toResolution.name, () => {
  it('maps the reasons of the source, and no others', () => {
    const reasons = ['completed', 'not_planned', 'duplicate', 'constructor', null, undefined];
    expect(reasons.map((reason) => toResolution(reason))).toEqual([0, 1, 3, null, null, null]);
  });
});

describe(toMilestone.name, () => {
  it.each([
    ['2024-06-30T07:00:00Z', '2024-06-30'],
    ['2024-02-31T07:00:00Z', null],
    ['soon', null],
    [null, null],
  ])('returns the day of %s', (due, dueDate) => {
    const milestone = wire.milestone.parse({ id: 1, title: 'v1', state: 'open', due_on: due });
    expect(toMilestone(milestone)).toMatchObject({ dueDate, isClosed: false });
  });
});

describe(toAccount.name, () => {
  it('takes only people for those who sign in', () => {
    const types = ['User', '', 'Bot', 'Organization', 'Mannequin'];
    expect(types.map((type) => toAccount({ ...ada, type }).isGone)).toEqual([false, false, true, true, true]);
  });
});
