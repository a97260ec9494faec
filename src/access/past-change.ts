import { type EntityManager } from 'typeorm';
import { type AuditedCaller, type Author } from './caller';

/** Who made a change and when, and who last edited its subject and when. Times are milliseconds since 1970. */
export interface Origin {
  author: Author;
  created: number;
  updatedUserId: number;
  updated: number;
}

/** A change that happened elsewhere, and is recorded here afterwards (`docs/decisions/0067-import-operations.md`). */
export interface PastChange extends Origin {
  /** Who records it. */
  actor: AuditedCaller;
}

const PAST = new WeakMap<EntityManager, PastChange>();

/** Returns `work` as that of a transaction that records a past change: its rows have the origin of the change, and nobody is told. */
export const inPast =
  <T>(
    change: PastChange | undefined,
    work: (manager: EntityManager) => Promise<T>,
  ): ((manager: EntityManager) => Promise<T>) =>
  (manager) => {
    if (change) PAST.set(manager, change);
    return work(manager);
  };

/** Returns the past change that a transaction records; undefined for a change of today. */
export const pastChangeOf = (manager: EntityManager): PastChange | undefined => PAST.get(manager);

/** Returns the origin of a change: that of the past change which the transaction records, else the author, now. */
export const originOf = (manager: EntityManager, author: Author, now = Date.now()): Origin =>
  pastChangeOf(manager) ?? { author, created: now, updatedUserId: author.id, updated: now };
