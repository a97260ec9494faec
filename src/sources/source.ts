import { type ArchiveBuilder } from './archive-builder';
import { type Losses } from './losses';

/** What a source would give, without reading it. */
export interface SourcePlan {
  projects: { key: string; name: string; issues: number; wikis: number; documents: number }[];
  users: number;
  /** The fewest requests, and how long the source's limits make them take. */
  requests: number;
  seconds: number;
}

/**
 * Another tracker, opened for one run. It reads into an archive, which `pms import` then imports like any other: there is one importer
 * (`docs/decisions/0070-sources.md`).
 */
export interface Source {
  plan(): Promise<SourcePlan>;
  /** Reads everything. A run that is repeated with the same spool reads only what is missing. */
  read(builder: ArchiveBuilder): Promise<void>;
  close(): Promise<void>;
}

/** The parts of a run that a source reports to. */
export interface SourceReport {
  losses: Losses;
  onProgress?: (progress: SourceProgress) => void;
}

/** How far a run is. */
export interface SourceProgress {
  /** What is being read, such as `issues of DEMO`. */
  what: string;
  done: number;
  /** 0 if unknown. */
  total: number;
}
