import { type TextFormat } from '../sources/text-format';
import { type ReadState } from '../sources/read-state';

/** What the service reads into the archive of an import (`docs/decisions/0073-sources-over-the-api.md`). */
export interface ImportSource {
  /** The address. */
  from: string;
  /** The projects that are read; absent for all. */
  projects?: string[];
  /** Other keys of projects, for sources that give keys; pairs, because names may be like those of properties. */
  projectKeys: [name: string, key: string][];
  textFormat?: TextFormat;
  gitUser?: string;
  /** How far the reading is. */
  reading: {
    /** What is being read, such as `issues of DEMO`. */
    what: string;
    total: number;
    waitingUntil: number | null;
  };
  /** What the source has and the archive has not, in sentences; absent until it has been read. */
  losses?: string[];
  /** What was read, to be compared with the source again; absent until then. */
  state?: ReadState;
}

/** What of a source is secret. */
export interface SourceSecrets {
  keys: string[];
  gitPassword?: string;
}

/** What a form says of a source. */
export interface RequestedSource extends SourceSecrets, Omit<ImportSource, 'reading' | 'losses' | 'state'> {
  /** Where requests and clones go. */
  origins: readonly URL[];
}
