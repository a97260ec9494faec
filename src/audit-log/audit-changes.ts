import { isDeepStrictEqual } from 'node:util';

/** Longest text of a value or a name in the audit log, in UTF-16 code units. */
const MAX_LENGTH = 255;

/** One field that a change has set. */
export interface AuditChange {
  field: string;
  /** The value before it; null when there was none, or when it is not stored. */
  from: string | null;
  to: string | null;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The named fields that differ. What is not named is left out, so that no secret is stored by accident.
 * @param before empty for what has been added
 * @param after empty for what has been removed
 */
export function auditChanges(before: Values, after: Values, fields: readonly string[]): AuditChange[] {
  return fields
    .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
    .map((field) => ({ field, from: toText(before[field]), to: toText(after[field]) }));
}

/** A field that has changed and whose values are secret. */
export const secretChange = (field: string): AuditChange => ({ field, from: null, to: null });

/** A text as the audit log stores it: cut where it is too long, between two characters. */
export function cutText(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const cut = text.slice(0, MAX_LENGTH - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return cutText(typeof value === 'string' ? value : JSON.stringify(value));
}
