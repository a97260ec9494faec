import { change, type ChangeLogEntry } from '../../comments/change-log';
import { type ArchiveBuilder } from '../archive-builder';

/** A comment, or a change, of an issue or a pull request. */
export interface TimelineEntry {
  content: string;
  changeLog: readonly ChangeLogEntry[];
  createdUserId: number;
  created: number;
  updated: number;
}

/** What the source calls an entry. */
interface EntryKey {
  /** The list that it is in, whose ids differ from those of others. */
  list: string;
  id: number;
}

/** Texts of changes are short. */
const MAX_TEXT = 1000;

/**
 * What has happened to issues or pull requests, from several lists and in any order. It is on disk until their subjects are added, so that
 * comments get ids in the order of their times.
 */
export class Timeline {
  /** @param name distinguishes it from others */
  constructor(
    private readonly builder: ArchiveBuilder,
    private readonly name: string,
  ) {}

  /** @param number of the subject */
  add(number: number, { list, id }: EntryKey, entry: TimelineEntry): void {
    const place = [new Date(entry.created).toISOString(), list, String(id).padStart(16, '0')].join(' ');
    this.builder.records.add(`#${this.name}`, [number, place], entry);
  }

  /** Adds the comments of a subject, which has been added, and forgets its thread. */
  end(of: 'issue' | 'pullRequest', id: number, number: number): void {
    for (const entry of this.builder.records.within<TimelineEntry>(`#${this.name}`, number)) {
      this.builder.comment(of, id, {
        ...entry,
        id: this.builder.newId('comment'),
        stars: [],
        notifications: [],
      });
    }
    this.builder.endSubject(of, id);
  }
}

/** Returns the entry for a change that a source shows; values are display texts, empty for no value. */
export const shownChange = (field: string, newValue: string, originalValue: string): ChangeLogEntry =>
  change(field, newValue.slice(0, MAX_TEXT).toWellFormed(), originalValue.slice(0, MAX_TEXT).toWellFormed());

/** What can become of an issue or a pull request. */
export type ForgeState = 'Open' | 'Closed' | 'Merged';

/** Returns the entry for a change of the state of an issue or a pull request. */
export const stateChange = (state: ForgeState): ChangeLogEntry =>
  shownChange('status', state, state === 'Open' ? 'Closed' : 'Open');
