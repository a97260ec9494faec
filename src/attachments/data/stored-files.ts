/** A file whose content is in the storage. */
export interface StoredContent {
  id: number;
  storageKey: string;
  size: number;
}

/** Selects all files whose content is in the storage, in the order of their ids. */
export const STORED_FILES =
  'SELECT id AS id, storage_key AS storageKey, size AS size FROM attachment WHERE `stored` = 1 ORDER BY id';
