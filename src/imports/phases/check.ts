import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataSource } from 'typeorm';
import { RecordCheck } from '../../archives/check-records';
import { type ArchiveContents } from '../../archives/archive-format';
import { type ArchivePart } from '../../archives/read-archive';
import { type ArchivedRecord, type RecordKind } from '../../archives/record-kinds';
import { syncFolder } from '../../synced-folders';
import { loopTurns } from '../../event-loop/loop-turns';
import { findTaken } from '../data/import-rows';
import { ImportError } from '../import.error';
import { MAX_IDS, type SourceIds, storeIds } from '../import-ids';
import { MAX_PEOPLE, type Person } from '../import-people';
import { type PlannedProject } from '../import-plan';
import { replaceFile } from '../import-spool.service';

/** What the check has read of an archive, besides that it is intact and consistent. */
export interface CheckedImport {
  ids: SourceIds;
  contents: ArchiveContents;
  projects: Omit<PlannedProject, 'as'>[];
  people: Person[];
  /** See `ImportPlan`. */
  uidMask?: string;
}

/**
 * The kinds with keys beside their ids, and the fields of these: ids on the wire are unique in a space, and the digest of a text must not
 * stand for another one.
 */
const WITH_KEYS: Readonly<Record<string, string>> = {
  document: 'uid',
  documentComment: 'uid',
  activityText: 'digest',
};
const KEYS_AT_ONCE = 200;

/** The path of the last record of a kind, which is written first (`write.ts`). */
export const lastRecordOf = (folder: string, kind: string): string => join(folder, 'last', kind);

/**
 * Reads an archive to its end, checks everything that it says, and keeps in the folder of the import what the next phases need. Writes nothing
 * else.
 * @throws BackupError if the archive cannot be used, ImportError if it is too large
 */
export async function checkImport(
  parts: AsyncIterable<ArchivePart>,
  kinds: readonly RecordKind[],
  folder: string,
  dataSource: DataSource,
  onProgress: (done: number) => void,
): Promise<CheckedImport> {
  const check = new RecordCheck(kinds);
  const projects: CheckedImport['projects'] = [];
  const people: Person[] = [];
  const keys = new KeyCheck(dataSource);
  let contents: ArchiveContents | undefined;
  let done = 0;
  let identified = 0;
  let last: { kind: string; line: string } | undefined;
  const keepLast = async (): Promise<void> => {
    if (last) await replaceFile(lastRecordOf(folder, last.kind), last.line);
  };
  await mkdir(join(folder, 'last'), { recursive: true, mode: 0o700 });
  for await (const part of parts) {
    if (part.type === 'records') {
      const { kind } = part;
      for (const [index, line] of part.lines.entries()) {
        // Before each, because the lines have only been read in this turn.
        const pause = loopTurns.pauseInBackground();
        if (pause) await pause;
        const record = check.parse(kind, line, part.first + index);
        if (kind.name === 'project') projects.push(projectOf(record));
        if (kind.name === 'user') people.push(record as Person);
        const keyField = WITH_KEYS[kind.name];
        if (keyField !== undefined) await keys.add(kind, keyField, record[keyField] as string);
      }
      if (kind.idField !== undefined) {
        if (last?.kind !== kind.name) await keepLast();
        last = { kind: kind.name, line: part.lines.at(-1) as string };
        identified += part.lines.length;
      }
      if (people.length > MAX_PEOPLE || identified > MAX_IDS)
        throw new ImportError('The archive is too large.');
      onProgress((done += part.lines.length));
    } else if (part.type === 'file') {
      check.file(part.id, part.size);
      onProgress(++done);
    } else if (part.type === 'bundle' || part.type === 'repository') check.repository(part.id);
    else if (part.type === 'contents') {
      await check.end(part.contents);
      ({ contents } = part);
    }
  }
  await keepLast();
  await keys.end();
  await storeIds(folder, check.ids);
  for (const path of [join(folder, 'last'), folder]) await syncFolder(path);
  return {
    ids: check.ids,
    contents: contents as ArchiveContents,
    projects,
    people,
    ...(keys.areTaken && { uidMask: randomBytes(16).toString('hex') }),
  };
}

const projectOf = ({ id, projectKey, name }: ArchivedRecord): Omit<PlannedProject, 'as'> => ({
  id: id as number,
  key: projectKey as string,
  name: name as string,
});

/** Looks for keys that the space has already, as after an earlier import of the same archive. */
class KeyCheck {
  areTaken = false;
  private kind?: RecordKind;
  private field = '';
  private pending: string[] = [];

  constructor(private readonly dataSource: DataSource) {}

  async add(kind: RecordKind, field: string, key: string): Promise<void> {
    if (this.areTaken) return;
    if (kind !== this.kind || this.pending.length >= KEYS_AT_ONCE) await this.end();
    this.kind = kind;
    this.field = field;
    this.pending.push(key);
  }

  async end(): Promise<void> {
    const { kind, field, pending } = this;
    this.pending = [];
    if (!kind || pending.length === 0) return;
    this.areTaken ||= (await findTaken(this.dataSource, kind, field, pending)).length > 0;
  }
}
