import { DataSource } from 'typeorm';
import { isReferenceError } from '../../database/database-errors';
import {
  type ForeignKey,
  readForeignKeys,
  releaseOrphans,
  type RowKey,
  streamOrphans,
} from '../../database/schema/foreign-keys';
import { isEmbedded } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { counted } from '../../quantities';
import { type Fault, type Repair, RepairRefusedError } from './repair';

/** Maximum number of rows that one transaction changes. */
const BATCH = 100;

interface Subject {
  table: string;
  column: string;
  rows: RowKey[];
}

/** Does with rows whose parent is missing what the database does when a parent is deleted. */
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

  async mend(services, { table, column, rows }) {
    const dataSource = services(DataSource);
    const keys = await readForeignKeys(dataSource, isEmbedded(dataSource));
    const key = keys.find((each) => each.table === table && each.column === column);
    if (!key) return false;
    if (actionOf(key) === undefined) {
      throw new RepairRefusedError('The rows hold content of their own: restore a backup.');
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

/** What the database does when a parent is deleted; undefined if it refuses that. */
function actionOf({ onDelete }: ForeignKey): string | undefined {
  if (onDelete === 'CASCADE') return ': to be deleted';
  return onDelete === 'SET NULL' ? ': to be emptied of it' : undefined;
}
