import { type Environment } from '../config/environment';
import { type AddressGuard } from '../outgoing/address-guard';
import { type ArchiveBuilder } from './archive-builder';
import { type Losses } from './losses';
import { type TextFormat } from './text-format';

/** How a source is read, of whatever tracker. */
export interface SourceOptions {
  environment: Environment;
  /** The folder for what is kept of the source; a repeated run goes on from there. */
  spool: string;
  /** Several share the limits of the source. */
  keys: readonly string[];
  /** Keys of projects; all that the key may see by default. */
  projects?: readonly string[];
  /** The path of a map of columns, for CSV files. */
  map?: string;
  /** Keys that projects get, by their names in the source; for kinds that give keys. */
  projectKeys?: ReadonlyMap<string, string>;
  /** For a source whose API does not show it. */
  textFormat?: TextFormat;
  /** For `git clone`; by default the owner of the key, and the key. */
  gitUser?: string;
  gitPassword?: string;
  signal?: AbortSignal;
  /** Decides where requests and clones go, if the address is not the operator's. */
  guard?: AddressGuard;
  limits?: {
    atOnce?: number;
    patienceMs?: number;
    timeoutMs?: number;
    maxAnswerBytes?: number;
    maxPages?: number;
    limitMs?: number;
  };
  onRequest?: (address: string) => void;
  onWait?: (milliseconds: number) => void;
  /** Called with a sentence that the operator should know at once. */
  onNote?: (text: string) => void;
}

/** The addresses of a kind of source, without the code that reads it. */
export interface SourceAddresses {
  /** Such as `backlog://HOST`. */
  form: string;
  /** Whether its projects have names instead of keys: then `--project NAME:KEY` is for the source, and not for the import. */
  givesKeys?: boolean;
  /** Whether an address is one of this kind. */
  accepts(from: string): boolean;
  /** Whether nothing can be read without a key. */
  needsKey?: boolean;
}

/** The addresses of a kind of source that is read over HTTP. */
export interface RemoteAddresses extends SourceAddresses {
  /** Returns where requests and clones go. @throws SourceError if the address is not valid */
  originsOf(from: string): readonly URL[];
}

/** A kind of source that `pms import` reads. */
export interface SourceKind extends SourceAddresses {
  /** Opens a source without reading it. @throws SourceError in one sentence, if the address or an option is not valid */
  open(from: string, options: SourceOptions, report: SourceReport): Promise<Source>;
}

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
  /** When the reading was begun, in milliseconds: the time of what is read, also by a repeated run. */
  readonly time: number;
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
