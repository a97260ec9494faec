import { type IdRange } from '../attachments/data/attachment.repository';

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

/** An earlier import, whose projects a later one replaces. */
export interface ReplacedImport {
  id: number;
  /** As they are in the space. */
  projects: { id: number; key: string }[];
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
  /** The first and the last id of the attachments in the archive; absent without attachments. */
  attachments?: IdRange;
  /**
   * Combined with the ids on the wire of documents and their comments, and with the digests of texts, because the space has some of them
   * already.
   */
  uidMask?: string;
  /** Absent if nothing is replaced. */
  replaced?: ReplacedImport[];
  /** Who people are by the options of the replaced imports (`ImportOptions.users`). */
  users?: Record<string, string>;
}

/** A kind whose rows differ from the archive. */
export interface ImportDifference {
  kind: string;
  expected: number;
  found: number;
}

/** What a source is compared with, once more, before what was read from it is published. */
export interface SourceComparison {
  /** Number of records that are compared. */
  compared: number;
  /** The kinds of which the source has others than were imported. */
  differences: ImportDifference[];
  /** Why the source could not be read again; `''` if it could. */
  error: string;
}

/** What an import has done. */
export interface ImportReport {
  /** With the last activity of each when it was published. */
  projects: { id: number; key: string; lastActivityId?: number }[];
  /** Number of rows whose content has been compared with the archive. */
  compared: number;
  differences: ImportDifference[];
  losses: string[];
  /** Absent for an archive of a file. */
  source?: SourceComparison;
}

/** Maximum number of names in a plan. */
export const MAX_NAMED = 100;

/** What is known of an import whose archive may be gone. */
interface PlannedRun {
  plan: ImportPlan | null;
  /** See `ImportRun`. */
  bases: Readonly<Record<string, number | null>>;
}

/** Returns the ids in the space of the projects that an import may have written. */
export function projectIdsOf({ plan, bases }: PlannedRun): number[] {
  const base = bases.project;
  if (!plan || base === undefined) return [];
  return plan.projects.map(({ id }, rank) => (base === null ? id : base + rank + 1));
}

/**
 * Returns the ids in the space of the attachments that an import may have written; undefined for none. They were reserved for the import,
 * but where it keeps its ids, another node of a cluster may have used some between them.
 */
export function attachmentIdsOf({ plan, bases }: PlannedRun): IdRange | undefined {
  const base = bases.attachment;
  if (!plan?.attachments || base === undefined) return undefined;
  if (base === null) return plan.attachments;
  return { first: base + 1, last: base + (plan.records.attachment ?? 0) };
}
