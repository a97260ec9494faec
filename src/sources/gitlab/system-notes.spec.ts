import { toSystemChanges } from './system-notes';

const shown = (body: string, of: 'issue' | 'pullRequest' = 'issue') =>
  toSystemChanges(body, of)?.map(({ field, originalValue, newValue }) => [field, originalValue, newValue]);

describe(toSystemChanges.name, () => {
  it.each([
    ['closed', ['status', 'Open', 'Closed']],
    ['closed via merge request !5', ['status', 'Open', 'Closed']],
    ['reopened', ['status', 'Closed', 'Open']],
    ['assigned to @ada', ['assigner', '', 'ada']],
    ['unassigned @ada', ['assigner', 'ada', '']],
    [
      'assigned to @ada, @bob, and @eve.x and unassigned @tom and @kim',
      ['assigner', 'tom, kim', 'ada, bob, eve.x'],
    ],
    ['changed title from **Old {-title-}** to **Old {+name+}**', ['summary', 'Old title', 'Old name']],
    ['changed due date to September 2, 2026', ['limitDate', '', '2026-09-02']],
  ])('finds the change in %j', (body, change) => {
    expect(shown(body)).toEqual([change]);
  });

  it('names the fields of pull requests as their change logs do', () => {
    expect(shown('assigned to @ada', 'pullRequest')).toEqual([['assignee', '', 'ada']]);
    expect(shown('changed due date to September 2, 2026', 'pullRequest')).toBeUndefined();
  });

  it.each([
    '',
    'closed the window',
    'constructor',
    'assigned to someone',
    'assigned to @ada, the boss',
    'changed title from **a** to **b** to **c**',
    'changed due date to Smarch 2, 2026',
    'changed the description',
    'mentioned in issue #12',
    'removed due date',
    `closed via ${'x'.repeat(20_000)}`,
  ])('finds nothing in %j', (body) => {
    expect(shown(body)).toBeUndefined();
  });
});
