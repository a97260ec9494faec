import { type ArchivedRecord, type RecordKind } from '../archives/record-kinds';
import { type PortableRow } from '../database/snapshot/snapshot';
import { documentSize, type DocumentTexts } from '../documents/document-size';
import { deletedProjectKey } from '../projects/project-key';
import { type PlannedContext } from './import-context';
import { withRenamedKeys } from './keys/renamed-records';

/**
 * Returns a record of the archive as the space is to have it, with the ids of the space and the new keys of projects. Long texts take several
 * turns of the event loop.
 */
export async function inSpace(
  { ids, keys, run }: Pick<PlannedContext, 'ids' | 'keys' | 'run'>,
  kind: RecordKind,
  record: ArchivedRecord,
): Promise<ArchivedRecord> {
  const mapped = await ids.map(kind, record);
  return adjusted(kind, keys ? await withRenamedKeys(kind, mapped, keys) : mapped, run.options);
}

/**
 * Nobody is told of what happened elsewhere: webhooks are disabled, and notifications have been read. Sizes are counted, because lists read
 * as many documents at once as their sizes allow.
 */
function adjusted(
  { name }: Pick<RecordKind, 'name'>,
  record: ArchivedRecord,
  { keepsAccounts }: PlannedContext['run']['options'],
): ArchivedRecord {
  if (name === 'webhookHealth') return { ...record, enabled: false };
  if (name === 'document') return { ...record, size: documentSize(record as unknown as DocumentTexts) };
  if (keepsAccounts) return record;
  if (name === 'notification' || name === 'watching')
    return { ...record, alreadyRead: true, resourceAlreadyRead: true };
  return record;
}

/** What the columns that no record has get. @param importId the import that writes the row */
export function furtherColumns(
  kind: string,
  row: PortableRow,
  importId: number,
  newKey: () => string,
): PortableRow {
  const further = FURTHER[kind];
  return further ? further(row, importId, newKey) : {};
}

type Further = (row: PortableRow, importId: number, newKey: () => string) => PortableRow;

const FURTHER: Readonly<Record<string, Further | undefined>> = {
  // As invisible as a deleted project, until it is published.
  project: ({ id }, importId) => ({
    project_key: deletedProjectKey(id as number),
    deleted: true,
    import_id: importId,
  }),
  attachment: (_row, _importId, newKey) => ({
    storage_key: newKey(),
    upload_key_id: null,
    stored: false,
    attached: true,
  }),
  gitRepository: () => ({ size: 0 }),
  webhook: () => ({ secret: null, previous_secrets: null }),
  webhookHealth: () => ({
    failures: 0,
    failing_since: null,
    paused_until: 0,
    pauses: 0,
    reason: 'Disabled by an import.',
  }),
  star: () => ({ url: '' }),
};
