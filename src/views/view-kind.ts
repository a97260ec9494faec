/** What users view, as `recently_viewed` numbers it. */
export enum ViewKind {
  Issue = 1,
  Project = 2,
  WikiPage = 3,
}
