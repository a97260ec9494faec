import { createArchive } from '../../src/archives/create-archive';
import { type ArchivedRecord, type RecordKind, recordKinds } from '../../src/archives/record-kinds';
import { withMappedIds } from '../../src/archives/record-references';
import { openStorage } from '../../src/attachments/open-storage';
import { readArchive } from '../../src/backup/archive/archive-file';
import { type Environment } from '../../src/config/environment';

/** The records of an archive by their kinds. */
export type Records = ReadonlyMap<string, readonly ArchivedRecord[]>;

/** Writes an archive of an installation. @param projects keys; all projects by default */
export async function writeArchiveOf(
  environment: Environment,
  path: string,
  projects?: readonly string[],
): Promise<string> {
  const storage = openStorage(environment);
  await createArchive({ environment, storage, path, projects });
  await storage.close();
  return path;
}

/** Returns the contents of the entries of an archive, by their names, in their order. */
export async function entriesOf(path: string): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  for await (const { path: name, content } of readArchive(path)) {
    const parts: Buffer[] = [];
    for await (const part of content()) parts.push(part);
    entries.set(name, Buffer.concat(parts));
  }
  return entries;
}

/** Returns the records of an archive by their kinds. */
export async function recordsOf(path: string): Promise<Records> {
  const records = new Map<string, ArchivedRecord[]>();
  for (const [name, content] of await entriesOf(path)) {
    const kind = /^records\/(\w+)\//.exec(name)?.[1];
    if (kind === undefined) continue;
    const lines = content.toString().trimEnd().split('\n');
    records.set(kind, [
      ...(records.get(kind) ?? []),
      ...lines.map((line) => JSON.parse(line) as ArchivedRecord),
    ]);
  }
  return records;
}

/**
 * Returns the lines of records with the ranks of ids in place of the ids, so that archives of the same data with other ids are equal; people have
 * their login names.
 */
export async function withoutIds(records: Records): Promise<Map<string, string[]>> {
  const ranks = new Map<string, Map<number, number>>();
  const kinds = await recordKinds();
  for (const { name, idField } of kinds) {
    const rows = [...(records.get(name) ?? [])];
    if (name === 'user') rows.sort((one, other) => (String(one.userId) < String(other.userId) ? -1 : 1));
    if (idField !== undefined)
      ranks.set(name, new Map(rows.map((row, rank) => [row[idField] as number, rank + 1])));
  }
  const lines = new Map<string, string[]>();
  for (const kind of kinds) {
    const rows: string[] = [];
    for (const record of records.get(kind.name) ?? [])
      rows.push(JSON.stringify(await normal(kind, record, ranks)));
    lines.set(kind.name, rows.sort());
  }
  return lines;
}

const normal = (
  kind: RecordKind,
  record: ArchivedRecord,
  ranks: ReadonlyMap<string, ReadonlyMap<number, number>>,
): Promise<ArchivedRecord> =>
  withMappedIds(
    kind,
    record,
    (target, id) => (typeof id === 'string' ? id : (ranks.get(target)?.get(id) ?? 0)) as typeof id,
  );

/** Returns the ids in a record, with the kinds of what they refer to. */
export async function idsIn(
  kind: RecordKind,
  record: ArchivedRecord,
): Promise<{ kind: string; id: number | string }[]> {
  const found: { kind: string; id: number | string }[] = [];
  await withMappedIds(kind, record, (target, id) => {
    found.push({ kind: target, id });
    return id;
  });
  return found;
}
