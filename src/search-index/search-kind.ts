/** The kinds of text in the index. The numbers are stored. */
export const enum SearchKind {
  /** Summaries and descriptions. */
  Issue = 1,
  /** Comments of every thread. */
  Comment = 2,
  /** Titles and plain texts. */
  Document = 3,
}
