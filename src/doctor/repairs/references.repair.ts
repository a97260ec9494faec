import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { isReferenceError } from '../../database/connections/database-errors';
import {
  type ForeignKey,
  readForeignKeys,
  releaseOrphans,
  type RowKey,
  streamOrphans,
} from '../../database/schema/foreign-keys';
import { isEmbedded } from '../../database/sql/statements';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { MANIFESTS } from '../../manifests';
import { counted } from '../../quantities';
import { type Fault, type Repair, RepairRefusedError } from './repair';

/** Maximum number of rows that one transaction changes. */
const BATCH = 100;

/** Tables whose rows may be deleted: those that the manifests declare disposable, and the same of the modules without a manifest. */
const DELETABLE: ReadonlySet<string | undefined> = new Set([
  'project_counter',
  'project_member',
  'recently_viewed',
  'removed_thread',
  'star',
  ...MANIFESTS.flatMap(({ disposable = [] }) => disposable).map(
    (entity) => getMetadataArgsStorage().filterTables(entity)[0]?.name,
  ),
]);
/** Tables whose rows own content: everything that names a lost one is left, so that restoring that one row restores the rest. */
const OWNERS: ReadonlySet<string> = new Set(['comment_thread', 'git_repository', 'project']);

interface Subject {
  table: string;
  column: string;
  rows: RowKey[];
}

/** Does with rows whose parent is missing what the database does when a parent is deleted, but deletes no content. */
export const references: Repair<Subject> = {
  check: 'references',

  async *find({ snapshot }) {
    for (const key of await readForeignKeys(snapshot, snapshot.isEmbedded)) {
      let rows: RowKey[] = [];
      for await (const row of streamOrphans(snapshot, key)) {
        rows.push(row);
        if (rows.length < BATCH) continue;
        yield faultOf(key, rows);
        rows = [];
      }
      if (rows.length > 0) yield faultOf(key, rows);
    }
  },

  async fix(services, { table, column, rows }) {
    const dataSource = services(DataSource);
    const keys = await readForeignKeys(dataSource, isEmbedded(dataSource));
    const key = keys.find((each) => each.table === table && each.column === column);
    if (!key) return false;
    if (actionOf(key) === undefined) {
      throw new RepairRefusedError(
        OWNERS.has(key.parent)
          ? `Content may belong to the missing ${key.parent}: restore a backup.`
          : 'The rows have content of their own: restore a backup.',
      );
    }
    try {
      const work = services(TransactionsService);
      return (await work.run((manager) => releaseOrphans(manager, key, rows))) > 0;
    } catch (error) {
      if (!isReferenceError(error)) throw error;
      throw new RepairRefusedError('Other rows need them: restore a backup.');
    }
  },
};

function faultOf(key: ForeignKey, rows: RowKey[]): Fault<Subject> {
  const { table, column, parent } = key;
  return {
    line: `${counted(rows.length, 'row')} of ${table} without their ${parent} (${column})${actionOf(key) ?? ''}.`,
    subject: { table, column, rows },
  };
}

/** What is done with rows without their parent; undefined if they are left. */
function actionOf({ table, parent, onDelete }: ForeignKey): string | undefined {
  if (onDelete === 'CASCADE' && DELETABLE.has(table) && !OWNERS.has(parent)) return ': to be deleted';
  return onDelete === 'SET NULL' ? ': the reference is to be cleared' : undefined;
}
