import { type SharedFileLink } from '../../shared-files/data/shared-file-link.repository';

/** The table that links shared files to wiki pages. */
export const WIKI_SHARED_FILES: SharedFileLink = { table: 'wiki_shared_file', owner: 'wiki_id' };
