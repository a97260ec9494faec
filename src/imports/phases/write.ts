import { readFile } from 'node:fs/promises';
import { type DataSource, type EntityManager } from 'typeorm';
import { type SortedIds } from '../../archives/number-lists';
import { type ArchivedRecord, type RecordKind, toRow } from '../../archives/record-kinds';
import { isDuplicate } from '../../database/connections/database-errors';
import { type PortableRow } from '../../database/snapshot/snapshot';
import { isEmbedded } from '../../database/sql/statements';
import { type AgentsService } from '../../users/agents.service';
import { type UsersService } from '../../users/users.service';
import { type ImportRunRepository, RECORDED_KINDS } from '../data/import-run.repository';
import { insertRecords, lastIdOf, updateRecord } from '../data/import-rows';
import { batchesOf, type NumberedRecord, type PlannedContext, recordsOf } from '../import-context';
import { keepsIds } from '../import-ids';
import { addPerson, matchPeople, type Person } from '../import-people';
import { furtherColumns, inSpace } from '../imported-records';
import { lastRecordOf } from './check';

/**
 * Ids left free before those of an import on a server: another node may still assign ids that it has taken before it learns of the reserved
 * ones.
 */
const MARGIN = 1000;
const RESERVATIONS = 3;

/** What the writing phases need of the service. */
export interface WriteServices {
  dataSource: DataSource;
  runs: ImportRunRepository;
  users: UsersService;
  agents: AgentsService;
  newKey: () => string;
}

/**
 * Writes the rows of the records, kind by kind, in batches of one transaction each. The last record of a kind is written first: the
 * database then generates only ids after those of the import, and a row that refers to the import's cannot get one of them.
 */
export async function writeRecords(context: PlannedContext, services: WriteServices): Promise<void> {
  const { kinds, lease, plan } = context;
  await settleAbsent(context, services);
  const orderOf = new Map(kinds.map(({ name }, order) => [name, order]));
  const total = Object.values(plan.records).reduce((sum, count) => sum + count, 0);
  const { kind: current, done } = lease.position;
  const isBefore = (kind: RecordKind): boolean =>
    current !== '' && (orderOf.get(kind.name) as number) < (orderOf.get(current) as number);
  const isWritten = ({ kind, number }: { kind: RecordKind; number: number }): boolean =>
    isBefore(kind) || (kind.name === current && number <= done);
  let written = kinds.reduce(
    (sum, kind) => sum + (isBefore(kind) ? (plan.records[kind.name] ?? 0) : 0),
    done,
  );
  const pending = left(
    recordsOf(context, (kind, last) => !isWritten({ kind, number: last })),
    isWritten,
  );
  for await (const batch of batchesOf(pending)) {
    const [{ kind }, last] = [batch[0], batch.at(-1)] as [NumberedRecord, NumberedRecord];
    if (kind.name === 'user') await writePeople(context, services, batch);
    else {
      if (kind.idField !== undefined) await reserve(context, services, kind);
      const records = batch
        .filter(({ number }) => kind.idField === undefined || number < (plan.records[kind.name] ?? 0))
        .map(({ record }) => record);
      const rows = await rowsOf(context, services, kind, records);
      await lease.move({ kind: kind.name, done: last.number }, (manager) =>
        insert(context, services, manager, kind, records, rows),
      );
    }
    context.progress((written += batch.length), total);
  }
}

async function* left(
  records: AsyncIterable<NumberedRecord>,
  isWritten: (one: NumberedRecord) => boolean,
): AsyncGenerator<NumberedRecord> {
  for await (const one of records) if (!isWritten(one)) yield one;
}

/**
 * Settles what ids become whose kinds have no records: contents of activities and mentions may still have some. They stay in a space
 * without such records, so that its archive is the same; elsewhere they must not become something else.
 */
async function settleAbsent(context: PlannedContext, services: WriteServices): Promise<void> {
  const { kinds, lease, run, ids } = context;
  const absent = kinds.filter(
    ({ name, idField }) =>
      name !== 'user' &&
      idField !== undefined &&
      run.bases[name] === undefined &&
      (ids.sources.get(name)?.size ?? 0) === 0,
  );
  if (absent.length === 0) return;
  let { bases } = run;
  await lease.write(async (manager) => {
    bases = { ...run.bases };
    for (const kind of absent) bases[kind.name] = (await lastIdFor(manager, services, kind)) === 0 ? null : 0;
    await services.runs.update(manager, run.id, { bases });
  });
  run.bases = bases;
  ids.setBases(bases);
}

/** Reserves the ids of a kind by writing its last record, unless it has been done. */
async function reserve(context: PlannedContext, services: WriteServices, kind: RecordKind): Promise<void> {
  const { run, ids, lease, folder } = context;
  if (run.bases[kind.name] !== undefined) return;
  const line = await readFile(lastRecordOf(folder, kind.name), 'utf8');
  const record = JSON.parse(line) as ArchivedRecord;
  const sources = ids.sources.get(kind.name) as SortedIds;
  for (let attempt = 1; ; attempt++) {
    let bases: Record<string, number | null> = {};
    try {
      await lease.move({ kind: kind.name, done: 0 }, async (manager) => {
        const lastId = await lastIdFor(manager, services, kind);
        const margin = isEmbedded(services.dataSource) ? 0 : MARGIN * attempt;
        bases = { ...run.bases, [kind.name]: keepsIds(sources, lastId) ? null : lastId + margin };
        ids.setBases(bases);
        await services.runs.update(manager, run.id, { bases });
        await insert(
          context,
          services,
          manager,
          kind,
          [record],
          await rowsOf(context, services, kind, [record]),
        );
        if (kind.name === 'agent')
          await services.agents.reserveKeys(manager, ids.of('agent', record.keyId as number));
      });
      run.bases = bases;
      return;
    } catch (error) {
      ids.setBases(run.bases);
      if (!isDuplicate(error) || attempt >= RESERVATIONS) throw error;
    }
  }
}

/** Agents have the ids of keys, which other keys must not get. */
const lastIdFor = (manager: EntityManager, { agents }: WriteServices, kind: RecordKind): Promise<number> =>
  kind.name === 'agent' ? agents.lastKeyId(manager) : lastIdOf(manager, kind.table);

/** Inserts the rows of records, and notes those whose removal nothing else would cause. */
async function insert(
  context: PlannedContext,
  services: WriteServices,
  manager: EntityManager,
  kind: RecordKind,
  records: readonly ArchivedRecord[],
  rows: readonly PortableRow[],
): Promise<void> {
  await insertRecords(manager, kind, rows);
  const { idField } = kind;
  if (!RECORDED_KINDS.has(kind.name) || idField === undefined) return;
  const written = records.map((record) => {
    const sourceId = record[idField] as number;
    return { sourceId, targetId: context.ids.of(kind.name, sourceId) };
  });
  await services.runs.insertRecorded(manager, context.run.id, kind.name, written);
}

/** Returns the rows of records in the space. References to records of their kind follow in `linkRecords`. */
async function rowsOf(
  context: PlannedContext,
  { newKey }: WriteServices,
  kind: RecordKind,
  records: readonly ArchivedRecord[],
): Promise<PortableRow[]> {
  const rows: PortableRow[] = [];
  for (const record of records) {
    const row = toRow(kind, await inSpace(context, kind, record));
    for (const column of ownReferences(kind)) row[column] = null;
    rows.push({ ...row, ...furtherColumns(kind.name, row, context.run.id, newKey) });
  }
  return rows;
}

/** The columns with foreign keys to the table itself. */
const ownReferences = ({ name, owners }: RecordKind): string[] =>
  [...owners].flatMap(([column, target]) => (target === name ? [column] : []));

/** Writes the references of records to others of their kind, once all of them are there. */
export async function linkRecords(context: PlannedContext): Promise<void> {
  const { ids, kinds, lease, plan } = context;
  const linked = new Set(kinds.filter((kind) => ownReferences(kind).length > 0).map(({ name }) => name));
  const total = [...linked].reduce((sum, name) => sum + (plan.records[name] ?? 0), 0);
  const order = [...linked];
  const { kind: current, done } = lease.position;
  const isLinked = ({ kind, number }: { kind: RecordKind; number: number }): boolean =>
    !linked.has(kind.name) ||
    (current !== '' && order.indexOf(kind.name) < order.indexOf(current)) ||
    (kind.name === current && number <= done);
  let count = done;
  const pending = left(
    recordsOf(context, (kind, last) => !isLinked({ kind, number: last })),
    isLinked,
  );
  for await (const batch of batchesOf(pending)) {
    const [{ kind }, last] = [batch[0], batch.at(-1)] as [NumberedRecord, NumberedRecord];
    await lease.move({ kind: kind.name, done: last.number }, async (manager) => {
      for (const { record } of batch) await link(manager, ids, kind, record);
    });
    context.progress((count += batch.length), total);
  }
}

async function link(
  manager: EntityManager,
  ids: PlannedContext['ids'],
  kind: RecordKind,
  record: ArchivedRecord,
): Promise<void> {
  const own = ownReferences(kind);
  const changes: PortableRow = {};
  for (const { name, column } of kind.fields) {
    const id = record[name] as number | null;
    if (own.includes(column.name) && id !== null) changes[column.name] = ids.of(kind.name, id);
  }
  if (Object.keys(changes).length === 0) return;
  await updateRecord(manager, kind, ids.of(kind.name, record[kind.idField as string] as number), changes);
}

/** Finds the people of a batch in the space, or adds them. */
async function writePeople(
  context: PlannedContext,
  { runs, users }: WriteServices,
  batch: readonly NumberedRecord[],
): Promise<void> {
  const { run, ids, lease, kinds } = context;
  const last = (batch.at(-1) as NumberedRecord).number;
  const matches = await (context.people ??= findPeople(context, { runs, users }));
  await lease.move({ kind: 'user', done: last }, async (manager) => {
    const people = [];
    const { table } = kinds.find(({ name }) => name === 'user') as RecordKind;
    for (const { record } of batch) {
      const { id: sourceId } = record as Person;
      const found = matches.get(sourceId);
      const { keepsAccounts } = run.options;
      const targetId =
        found ??
        (await addPerson(manager, users, record as Person, {
          keepsAccounts,
          lastId: await lastIdOf(manager, table),
        }));
      people.push({ sourceId, targetId, added: found === undefined });
    }
    await runs.insertPeople(manager, run.id, people);
  });
  ids.setPeople(await runs.findPeople(run.id));
}

/** Returns the users of the space that people of the archive are. */
async function findPeople(
  context: PlannedContext,
  { runs, users }: Pick<WriteServices, 'runs' | 'users'>,
): Promise<Map<number, number>> {
  const people: Person[] = [];
  for await (const { record, kind } of recordsOf(context)) {
    if (kind.name !== 'user') break;
    people.push(record as Person);
  }
  const known = await runs.findPeople(context.run.id);
  const done = new Set(known.map(({ sourceId }) => sourceId));
  const matched = await matchPeople(
    users,
    people.filter(({ id }) => !done.has(id)),
    context.run.options,
    { taken: new Set(known.map(({ targetId }) => targetId)), earlier: context.plan.users },
  );
  return new Map(
    matched.flatMap(({ person, targetId }): [number, number][] =>
      targetId === undefined ? [] : [[person.id, targetId]],
    ),
  );
}
