/** The states of an import. The numbers are stored. */
export enum ImportState {
  /** A worker goes on with it, or takes it over. */
  Running = 1,
  /** An error has stopped it; it goes on when it is resumed. */
  Stopped = 2,
  /** Its projects are visible. */
  Done = 3,
  /** What it has written is being removed. */
  Cancelling = 4,
  Cancelled = 5,
  /** The archive cannot be imported; nothing has been written. */
  Refused = 6,
}

/** The phases of an import, in their order (`docs/decisions/0069-imports.md`). */
export const IMPORT_PHASES = [
  'read',
  'check',
  'write',
  'link',
  'files',
  'repositories',
  'derive',
  'verify',
  'compare',
  'publish',
] as const;

/** A phase of an import. */
export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** The phases that read a source, and wait for its limits; an archive of a file has nothing to do in them. */
export const READING_PHASES: ReadonlySet<string> = new Set<ImportPhase>(['read', 'compare']);
