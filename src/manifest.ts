import { type CountLimit } from './limits/count-limit';
import { type ActivityType } from './activities/activity-type';
import { type StoredFor, type StoredSizes } from './attachments/attachment-link';
import { type DiskUsageDto } from './attachments/disk-usage/dto/disk-usage.dto';
import { type NotificationReason } from './notifications/notification-reason';
import { type PathParameter } from './openapi/path-parameters';

/** A class with the columns of a table. */
export type EntityClass = new () => object;

/** Rows of a project that are numbered, or whose number is limited. */
export type Counter = CountLimit & {
  table: string;
  /** Which rows count; all if omitted. */
  condition?: string;
  /** The column with the number that the counter assigns. */
  number?: string;
};

/**
 * How a table takes part in archives of projects (`docs/format.md`). Columns are named by their properties, tables by the kinds of their
 * records.
 */
export interface ArchivedTable {
  /** Its name, where it is not that of the kind. */
  table?: string;
  /**
   * The columns that lead to the project: each refers to a row of `within`, which is in the archive. Without them, the rows are in the
   * archive that others in it refer to.
   */
  by?: readonly string[];
  /** The kind of those rows; the project by default. */
  within?: string;
  /** Only rows with these values, whose columns are left out. */
  only?: Readonly<Record<string, string | boolean>>;
  /** Columns left out: secrets, and what belongs to one installation. */
  without?: readonly string[];
  /** Columns that refer to rows of a kind without a foreign key. */
  refersTo?: Readonly<Record<string, string>>;
  /** Whether an archive of all projects has every row. */
  isOfSpace?: true;
}

/**
 * What a module declares about itself, for the mechanisms that treat all modules alike; they read it from `manifests.ts`. A manifest
 * contains no code: it imports entities and constants.
 */
export interface Manifest {
  entities?: readonly EntityClass[];
  /**
   * Entities of links and marks without content of their own, and of what the service derives or sends. `pms doctor --fix` may delete such
   * rows when they refer to a lost row. Links to files are not among them, because nothing else says where a file belongs.
   */
  disposable?: readonly EntityClass[];
  /** By their names in `project_counter`, which are also names of limits. */
  counters?: Readonly<Record<string, Counter>>;
  /** Other limits on numbers of entities. */
  countLimits?: Readonly<Record<string, CountLimit>>;
  /** The tables with its files, by the field of the disk usage that counts them. */
  diskUsage?: Readonly<Partial<Record<keyof DiskUsageDto, StoredFor | StoredSizes>>>;
  /** Sample content of activities by type. Its type is that of the content of every such activity. */
  activities?: ActivitySamples;
  /** The same of activities that only the roles of `DEVELOPERS` may see (`docs/decisions/0003-access.md#rights`). */
  developerActivities?: ActivitySamples;
  /** Reasons of notifications that only these roles may see. */
  developerReasons?: readonly NotificationReason[];
  /** Tags of operations in the OpenAPI document, with their descriptions. */
  tags?: Readonly<Record<string, string>>;
  pathParameters?: Readonly<Record<string, PathParameter>>;
  /** The tables in archives of projects, by the kinds of their records. */
  archived?: Readonly<Record<string, ArchivedTable>>;
}

type ActivitySamples = Readonly<Partial<Record<ActivityType, object>>>;
