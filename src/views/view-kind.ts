/** Kinds of viewed subjects, by their number in `recently_viewed`. */
export enum ViewKind {
  Issue = 1,
  Project = 2,
  WikiPage = 3,
}
