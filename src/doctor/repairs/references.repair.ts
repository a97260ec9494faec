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

/**
 * Tables whose rows may be deleted: links and marks without content of their own, and what the service derives or sends. Links to attachments
 * are not among them, because nothing else says where a file belongs.
 */
const DELETABLE: ReadonlySet<string> = new Set([
  'custom_field_issue_type',
  'document_tagging',
  'issue_category',
  'issue_commit',
  'issue_custom_field_item',
  'issue_milestone',
  'issue_shared_file',
  'issue_version',
  'project_counter',
  'project_member',
  'project_team',
  'recently_viewed',
  'related_issue',
  'removed_thread',
  'star',
  'team_member',
  'watching',
  'webhook_delivery',
  'webhook_delivery_attempt',
  'webhook_event',
  'webhook_health',
  'wiki_shared_file',
  'wiki_tagging',
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
