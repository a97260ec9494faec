/** Every difference in words. */
export interface Differences {
  /** Acknowledged, but not there. */
  lost: string[];
  /** Part of a committed change, but not there: its activity, event, delivery, or request to the receiver. */
  missing: string[];
  /** There, but not part of any committed change. */
  phantom: string[];
  /** Requests beyond the first with one `webhook-id` at one receiver, and activities beyond the first of one push. */
  doubled: number;
}
