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
  /** In SQL, the number that the counter has assigned to a row. */
  number?: string;
};

/** Of rows that are placed behind those that the counter has numbered before. */
export const PLACED_BY_NUMBER = { number: 'display_order + 1' };

/**
 * Where a JSON value has ids, and the kinds that these belong to. A path such as `link[].id` leads through fields and elements;
 * `changes[field=assigner].new_value` takes only elements with this field. Empty, it is the value itself. A text may be a list of ids, as in
 * the changes of activities. `document.uid` stands for the ids of documents on the wire, `issueStatus.wire` for those of statuses.
 */
export type IdPlaces = Readonly<Record<string, string>>;

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
  /** The column by which others refer to its rows; `id` by default. */
  id?: string;
  /** Only rows with these values, whose columns are left out. */
  only?: Readonly<Record<string, string | boolean | null>>;
  /** The table that lists the rows whose removal has begun, and its column with their ids. They are left out, with all that refers to them. */
  removedBy?: { table: string; column: string };
  /** Columns left out: secrets, what belongs to one installation, and what can be derived. */
  without?: readonly string[];
  /** Columns of which only a part is archived: the origin of an address, or JSON whose mail addresses are empty. */
  reduced?: Readonly<Record<string, 'origin' | 'withoutMailAddresses'>>;
  /** Columns that refer to rows of a kind without a foreign key. */
  refersTo?: Readonly<Record<string, string>>;
  /** The ids in the values of columns. */
  inside?: Readonly<Record<string, IdPlaces>>;
  /** Columns with texts, or with texts in JSON, that mention users and teams by their ids. */
  texts?: readonly string[];
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
  /** The ids in the contents of its activities, by type. */
  activityIds?: Readonly<Partial<Record<ActivityType, IdPlaces>>>;
  /** Tags of operations in the OpenAPI document, with their descriptions. */
  tags?: Readonly<Record<string, string>>;
  pathParameters?: Readonly<Record<string, PathParameter>>;
  /** The tables in archives of projects, by the kinds of their records. */
  archived?: Readonly<Record<string, ArchivedTable>>;
}

type ActivitySamples = Readonly<Partial<Record<ActivityType, object>>>;
