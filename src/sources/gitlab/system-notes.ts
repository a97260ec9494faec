import { type ChangeLogEntry } from '../../comments/change-log';
import { type ForgeState, shownChange, stateChange } from '../forges/timeline';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
/** A longer text is no note of the system that is known. */
const MAX_NOTE = 10_000;
const TITLE = 'changed title from **';
const TITLES = '** to **';

/** The states of issues and merge requests, by the words of notes and events. */
export const STATES: ReadonlyMap<string, ForgeState> = new Map([
  ['closed', 'Closed'],
  ['reopened', 'Open'],
  ['merged', 'Merged'],
]);

/** What a change is of: fields have other names in the change logs of pull requests. */
export type NoteSubject = 'issue' | 'pullRequest';

/**
 * Returns the changes that a note of the system tells of, which GitLab writes in English; undefined for a note without a change that is known.
 * @param body such as `changed due date to September 20, 2026`
 */
export function toSystemChanges(body: string, of: NoteSubject): ChangeLogEntry[] | undefined {
  if (body.length > MAX_NOTE) return undefined;
  const text = body.trim();
  const state = stateOf(text);
  if (state) return [stateChange(state)];
  return titleChange(text) ?? assigneeChange(text, of) ?? (of === 'issue' ? dateChange(text) : undefined);
}

/** Older versions of GitLab write notes about states, newer ones events. */
const stateOf = (text: string): ForgeState | undefined =>
  STATES.get(/^(\w+)(?: via [^]*)?$/.exec(text)?.[1] ?? '');

/** `changed title from **{-Old-} title** to **{+New+} title**`, with braces around what differs. */
function titleChange(text: string): ChangeLogEntry[] | undefined {
  if (!text.startsWith(TITLE) || !text.endsWith('**')) return undefined;
  const titles = text.slice(TITLE.length, -2).split(TITLES);
  // A title that has the separator itself cannot be told from two.
  if (titles.length !== 2) return undefined;
  const [before = '', now = ''] = titles;
  return [shownChange('summary', now.replace(/\{\+|\+\}/g, ''), before.replace(/\{-|-\}/g, ''))];
}

/** `assigned to @ada, @bob and @eve and unassigned @tom`. */
function assigneeChange(text: string, of: NoteSubject): ChangeLogEntry[] | undefined {
  const [, assigned = '', unassigned = ''] =
    /^(?:assigned to (.+?))?(?:(?:^| and )unassigned (.+))?$/.exec(text) ?? [];
  const [added, removed] = [namesIn(assigned), namesIn(unassigned)];
  if (added === undefined || removed === undefined || added + removed === '') return undefined;
  return [shownChange(of === 'issue' ? 'assigner' : 'assignee', added, removed)];
}

/** Returns the names in a list such as `@ada, @bob and @eve`; undefined for anything else. */
function namesIn(list: string): string | undefined {
  if (list === '') return '';
  const names = list.split(/, and |, | and /);
  return names.every((name) => /^@[\w.-]+$/.test(name))
    ? names.map((name) => name.slice(1)).join(', ')
    : undefined;
}

/** `changed due date to September 20, 2026`. */
function dateChange(text: string): ChangeLogEntry[] | undefined {
  const [, month = '', day = '', year = ''] =
    /^changed due date to (\w+) (\d{1,2}), (\d{4})$/.exec(text) ?? [];
  const number = MONTHS.indexOf(month) + 1;
  if (number === 0) return undefined;
  return [shownChange('limitDate', `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`, '')];
}
