import { type DataSource } from 'typeorm';
import { type ArchivedRecord, type RecordKind, toRecord } from '../../archives/record-kinds';
import { ArchivedRows } from '../../archives/data/archived-rows';
import { type Environment } from '../../config/environment';
import { openWhole } from '../../backup/open-whole';
import { type Snapshot } from '../../database/snapshot/snapshot';
import { deletedProjectKey } from '../../projects/project-key';
import { openRows } from '../data/import-rows';
import { type PlannedContext, recordsOf } from '../import-context';
import { type ImportDifference } from '../import-plan';
import { inSpace } from '../imported-records';
import { RecordDigest } from '../record-digest';

/**
 * Kinds whose rows are not those of the archive alone: people whom the space has already, teams that no project of the archive has, and
 * numbers that are counted anew.
 */
const NOT_COMPARED = ['user', 'team', 'teamMember', 'projectCounter'];

/** Returns the names of the kinds that are not compared. Retention may have removed old records of some in the meantime. */
const notCompared = ({ ACTIVITY_DAYS, NOTIFICATION_DAYS }: Environment): Set<string> =>
  new Set([
    ...NOT_COMPARED,
    ...(ACTIVITY_DAYS > 0 ? ['activity', 'activityText'] : []),
    ...(NOTIFICATION_DAYS > 0 ? ['notification'] : []),
  ]);

/** The result of a comparison. */
export interface Verification {
  compared: number;
  differences: ImportDifference[];
}

/** Reads the archive and the written rows again, and compares them kind by kind, with the ids of the space. */
export async function verifyRows(
  context: PlannedContext,
  dataSource: DataSource,
  environment: Environment,
): Promise<Verification> {
  const { kinds, ids, plan } = context;
  const left = notCompared(environment);
  const total = 2 * Object.values(plan.records).reduce((sum, count) => sum + count, 0);
  let done = 0;
  const expected = new Map(kinds.map(({ name }) => [name, new RecordDigest()]));
  for await (const { kind, record } of recordsOf(context, ({ name }) => !left.has(name))) {
    expected.get(kind.name)?.add(inOrder(kind, toExpected(kind, await inSpace(context, kind, record))));
    if (++done % 1000 === 0) context.progress(done, total);
  }
  const differences: ImportDifference[] = [];
  let compared = 0;
  const snapshot = await openRows(dataSource, () => openWhole(environment));
  try {
    const rows = new ArchivedRows(
      snapshot as Snapshot,
      kinds.map((kind) => (kind.name === 'project' ? { ...kind, only: { deleted: true } } : kind)),
      plan.projects.map(({ id }) => ids.of('project', id)),
    );
    for (const kind of kinds.filter(({ name }) => !left.has(name))) {
      const found = new RecordDigest();
      for await (const row of rows.rows(kind, kind.columns)) {
        context.signal.throwIfAborted();
        found.add(inOrder(kind, toRecord(kind, row)));
        if (++done % 1000 === 0) context.progress(done, total);
      }
      const wanted = expected.get(kind.name) as RecordDigest;
      if (found.value !== wanted.value)
        differences.push({ kind: kind.name, expected: wanted.count, found: found.count });
      compared += found.count;
    }
  } finally {
    await snapshot.close();
  }
  return { compared, differences };
}

/** The key of a project is that of a deleted one until it is published. */
const toExpected = ({ name }: RecordKind, record: ArchivedRecord): ArchivedRecord =>
  name === 'project' ? { ...record, projectKey: deletedProjectKey(record.id as number) } : record;

const inOrder = ({ fields }: RecordKind, record: ArchivedRecord): ArchivedRecord =>
  Object.fromEntries(fields.map(({ name }) => [name, record[name]]));
