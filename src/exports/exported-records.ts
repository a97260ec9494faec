import { type ArchivedRecord, type RecordKind } from '../archives/record-kinds';
import { type RecordStream } from '../archives/record-stream';
import { type Key, type RecordSpool } from '../archives/data/record-spool';
import {
  type Attachment,
  type Document,
  type DocumentComment,
  type SharedFile,
  type User,
} from './record-shapes';

/** The kinds that an export for people shows. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['user', 'project', 'issueType', 'issueStatus', 'category', 'version', 'customField', 'customFieldItem'],
  ...['wikiTag', 'documentTag', 'gitRepository', 'attachment', 'sharedFile'],
  ...['issue', 'issueCategory', 'issueVersion', 'issueMilestone', 'issueAttachment', 'issueSharedFile'],
  ...['issueCustomField', 'issueCustomFieldItem', 'pullRequest', 'pullRequestAttachment'],
  ...['wiki', 'wikiTagging', 'wikiAttachment', 'wikiSharedFile'],
  ...['document', 'documentTagging', 'documentAttachment', 'comment', 'documentComment'],
]);
/** Files with their places in the storage. */
const FILES = 'export file';
/** Documents by `projectId:parentId`, in the order of their positions. */
const CHILDREN = 'export child';
const DOCUMENTS = 'export document';

/** The records that are found by their ids alone. */
interface FoundRecords {
  attachment: Attachment;
  documentComment: DocumentComment;
  user: User;
}

/** The content of a file. */
export interface StoredFile {
  id: number;
  storageKey: string;
  size: number;
}

/** The records of an export, each under the record that it belongs to. They are on disk, so that memory does not grow with them. */
export class ExportedRecords {
  constructor(private readonly spool: RecordSpool) {}

  /** Reads all records. @param onRecord called for each */
  async read(stream: RecordStream, signal: AbortSignal | undefined, onRecord: () => void): Promise<void> {
    for (const kind of stream.kinds.filter(({ name }) => SHOWN.has(name))) {
      for await (const record of stream.records(kind)) {
        signal?.throwIfAborted();
        this.spool.add(kind.name, keyOf(kind, record), record);
        if (kind.name === 'document') this.spool.add(DOCUMENTS, [record.id as number], record);
        onRecord();
      }
    }
    for await (const { id, storageKey, size } of stream.files())
      this.spool.add(FILES, [id], { id, storageKey, size });
    for (const document of this.spool.records<ArchivedRecord>(DOCUMENTS)) this.addChild(document);
  }

  /** Yields the records of a kind that belongs to no other, in the order of their ids. */
  all<T extends object>(kind: string): Generator<T> {
    return this.spool.records<T>(kind);
  }

  /** Yields the records of a kind that belong to a record, in the order of their ids. */
  under<T extends object>(kind: string, owner: number): Generator<T> {
    return this.spool.within<T>(kind, owner);
  }

  /** Returns a record of a kind that belongs to no other, or to one at most. */
  find<Kind extends keyof FoundRecords>(kind: Kind, id: number): FoundRecords[Kind] | undefined {
    return this.spool.find(kind, [id]) as FoundRecords[Kind] | undefined;
  }

  findSharedFile(projectId: number, id: number): SharedFile | undefined {
    return this.spool.find('sharedFile', [projectId, id]) as SharedFile | undefined;
  }

  findDocument(id: number): Document | undefined {
    return this.spool.find(DOCUMENTS, [id]) as Document | undefined;
  }

  findFile(id: number): StoredFile | undefined {
    return this.spool.find(FILES, [id]) as StoredFile | undefined;
  }

  /** Yields the ids of the documents below another, in their order. @param parentId null at the top */
  *childrenOf(projectId: number, parentId: number | null): Generator<number> {
    for (const { id } of this.spool.within<{ id: number }>(CHILDREN, childKey(projectId, parentId))) yield id;
  }

  /** The parent of a document may be gone: then it is at the top. */
  private addChild({ id, projectId, parentId, position }: ArchivedRecord): void {
    const hasParent = parentId !== null && this.findDocument(parentId as number) !== undefined;
    const key = childKey(projectId as number, hasParent ? (parentId as number) : null);
    // Most positions are negative.
    const order = [Number(position) + 2 ** 31, id]
      .map((number) => String(number).padStart(16, '0'))
      .join(':');
    this.spool.add(CHILDREN, [key, order], { id });
  }
}

const childKey = (projectId: number, parentId: number | null): string => `${projectId}:${parentId ?? ''}`;

/** Returns the key under which a record is found: that of its owner, if it has one, and its own. */
function keyOf({ by, key }: RecordKind, record: ArchivedRecord): Key {
  const [owner] = by ?? [];
  const own = key.find((field) => field !== owner);
  const part = (field: string): number => record[field] as number;
  if (owner === undefined) return [part(key[0] as string)];
  return own === undefined ? [part(owner)] : [part(owner), part(own)];
}
