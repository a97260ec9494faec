import { isDeepStrictEqual } from 'node:util';

/** Maximum length of a value or a name in the audit log, in UTF-16 code units. */
const MAX_LENGTH = 255;

/** A field set by a change. */
export interface AuditChange {
  field: string;
  /** The previous value; null when there was none, or when it is not stored. */
  from: string | null;
  to: string | null;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the named fields that differ. Other fields are left out, so that no secret is stored by accident.
 * @param before empty for an added entity
 * @param after empty for a removed entity
 */
export function auditChanges(before: Values, after: Values, fields: readonly string[]): AuditChange[] {
  return fields
    .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
    .map((field) => ({ field, from: toText(before[field]), to: toText(after[field]) }));
}

/** Returns the change of a field whose values are secret. */
export const secretChange = (field: string): AuditChange => ({ field, from: null, to: null });

/** Truncates a text for the audit log, never within a surrogate pair. */
export function cutText(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const cut = text.slice(0, MAX_LENGTH - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return cutText(typeof value === 'string' ? value : JSON.stringify(value));
}
