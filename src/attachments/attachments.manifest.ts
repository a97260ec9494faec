import { type Manifest } from '../manifest';

/** Attached files; their contents are beside their records. */
export const attachmentsManifest = {
  archived: { attachment: { without: ['storageKey', 'uploadKeyId', 'stored', 'attached'] } },
} satisfies Manifest;
