/** The differences found after a run, as text. */
export interface Differences {
  /** Acknowledged, but absent. */
  lost: string[];
  /** Part of a committed change, but absent: its activity, event, delivery, or request to the receiver. */
  missing: string[];
  /** Present, but not part of any committed change. */
  phantom: string[];
  /** Requests after the first with one `webhook-id` at one receiver, and activities after the first of one push. */
  doubled: number;
}
