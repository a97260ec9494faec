import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SortedIds } from '../archives/number-lists';
import { type ArchivedRecord, type RecordKind } from '../archives/record-kinds';
import { type IdMapping, withMappedIds } from '../archives/record-references';
import { changeInside } from '../event-loop/nested-values';
import { syncFolder } from '../synced-folders';
import { IdWriter, readIds } from './id-files';
import { ImportError } from './import.error';

/** The ids of the records of an archive, by their kinds. */
export type SourceIds = ReadonlyMap<string, SortedIds>;

/** The most ids of an archive, which are kept in memory: 8 bytes each. */
export const MAX_IDS = 20_000_000;

/** The last id of a kind that keeps its ids: names of files in backups have at most 15 digits, and later ids need room. */
export const LARGEST_KEPT_ID = 2 ** 49;

/** Whether a kind keeps its ids in a table whose last id is known. */
export const keepsIds = (sources: SortedIds, lastId: number): boolean =>
  sources.at(0) > lastId && sources.at(sources.size - 1) <= LARGEST_KEPT_ID;

const folderOf = (spool: string): string => join(spool, 'ids');

/** Stores the ids of an archive in the folder of an import, which the caller syncs. */
export async function storeIds(spool: string, ids: SourceIds): Promise<void> {
  await mkdir(folderOf(spool), { recursive: true, mode: 0o700 });
  for (const [kind, list] of ids) {
    const writer = new IdWriter(join(folderOf(spool), kind));
    for (let index = 0; index < list.size; index++) await writer.add(list.at(index));
    await writer.end();
  }
  await syncFolder(folderOf(spool));
}

/**
 * Reads the stored ids of an archive.
 * @param counts the numbers of records of the kinds
 * @throws ImportError if some ids are missing: their records would look as if they did not exist
 */
export async function loadIds(
  spool: string,
  kinds: readonly RecordKind[],
  counts: Readonly<Record<string, number>>,
): Promise<SourceIds> {
  const ids = new Map<string, SortedIds>();
  for (const { name } of kinds.filter(({ idField }) => idField !== undefined)) {
    const list = new SortedIds();
    for (const id of await readIds(join(folderOf(spool), name))) list.add(id);
    if (list.size !== (counts[name] ?? 0)) {
      throw new ImportError(
        `The ids of ${name} that the check has stored are not complete: cancel the import, and begin again.`,
      );
    }
    ids.set(name, list);
  }
  return ids;
}

/**
 * The ids of records in the space. A record keeps its id where the table has never had one as large; otherwise, the records of a kind get the ids
 * after a base, in their order. People have the ids of the users that they are.
 */
export class ImportIds {
  private readonly people = new Map<number, number>();
  private readonly mask: bigint | undefined;

  /**
   * @param bases null for kinds that keep their ids; without those kinds whose records have not been reached
   * @param masks what ids on the wire and digests of texts are combined with: a text whose keys have been renamed must not have the digest
   * of the original
   */
  constructor(
    readonly sources: SourceIds,
    private bases: Readonly<Record<string, number | null>>,
    private readonly masks: { uid?: string; digest?: string } = {},
  ) {
    this.mask = masks.uid === undefined ? undefined : BigInt(`0x${masks.uid}`);
  }

  setBases(bases: Readonly<Record<string, number | null>>): void {
    this.bases = bases;
  }

  setPeople(people: readonly { sourceId: number; targetId: number }[]): void {
    this.people.clear();
    for (const { sourceId, targetId } of people) this.people.set(sourceId, targetId);
  }

  /** Returns the id of a record of the archive in the space. */
  of(kind: string, source: number): number {
    if (kind === 'user') return this.people.get(source) ?? -source;
    const base = this.bases[kind];
    if (base === undefined) throw new Error(`The records ${kind} have no ids yet`);
    if (base === null) return source;
    const rank = this.sources.get(kind)?.rankOf(source);
    // What no longer exists must not become something else.
    return rank === undefined ? -source : base + rank + 1;
  }

  /** Returns a record with the ids of the space. Long texts take several turns of the event loop. */
  async map(kind: RecordKind, record: ArchivedRecord): Promise<ArchivedRecord> {
    const mapped = await withMappedIds(kind, record, this.mapping);
    const { digest: mask } = this.masks;
    if (mask === undefined || (kind.name !== 'activityText' && kind.name !== 'activity')) return mapped;
    return withOtherDigests(mapped, (digest) =>
      createHash('sha256').update(`${mask}:${digest}`).digest('base64url'),
    );
  }

  private readonly mapping: IdMapping = (kind, id) =>
    (typeof id === 'string' ? this.uidOf(id) : this.of(kind, id)) as typeof id;

  private uidOf(uid: string): string {
    if (this.mask === undefined || !/^[\da-f]{32}$/.test(uid)) return uid;
    return (BigInt(`0x${uid}`) ^ this.mask).toString(16).padStart(32, '0');
  }
}

/** Returns a record whose long texts have other keys. */
async function withOtherDigests(
  record: ArchivedRecord,
  digestOf: (digest: string) => string,
): Promise<ArchivedRecord> {
  if (typeof record.digest === 'string') return { ...record, digest: digestOf(record.digest) };
  const replace = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value) as [string, unknown][];
    const [[name, text] = []] = fields;
    return fields.length === 1 && name === '$text' && typeof text === 'string'
      ? { $text: digestOf(text) }
      : changeInside(value, replace);
  };
  return { ...record, content: await replace(record.content) };
}
