/** How a person of an archive was found in the space, or what becomes of them. */
export const PERSON_SOURCES = ['option', 'mail', 'userId', 'added'] as const;

/** A value of `PERSON_SOURCES`. */
export type PersonSource = (typeof PERSON_SOURCES)[number];

/** A project of an archive. */
export interface PlannedProject {
  /** Its id in the archive. */
  id: number;
  /** Its key in the archive. */
  key: string;
  /** Its key in the space. */
  as: string;
  name: string;
}

/** What an import will do: made from the archive before anything is written. */
export interface ImportPlan {
  /** The numbers of the records by their kinds. */
  records: Record<string, number>;
  files: { count: number; bytes: number; lost: number[] };
  repositories: { count: number; bytes: number; lost: number[]; isLeftOut: boolean };
  projects: PlannedProject[];
  people: Record<PersonSource, number>;
  /** The login names of people who are added, at most `MAX_NAMED`. */
  unknownPeople: string[];
  /** What the space will not have, in sentences. */
  losses: string[];
  /**
   * Combined with the ids on the wire of documents and their comments, and with the digests of texts, because the space has some of them
   * already.
   */
  uidMask?: string;
}

/** A kind whose rows differ from the archive. */
export interface ImportDifference {
  kind: string;
  expected: number;
  found: number;
}

/** What an import has done. */
export interface ImportReport {
  projects: { id: number; key: string }[];
  /** Number of rows whose content has been compared with the archive. */
  compared: number;
  differences: ImportDifference[];
  losses: string[];
}

/** Maximum number of names in a plan. */
export const MAX_NAMED = 100;
