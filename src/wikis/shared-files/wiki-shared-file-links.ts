import { type SharedFileLink } from '../../shared-files/shared-file-links.service';

/** The table that links shared files to wiki pages. */
export const WIKI_SHARED_FILES: SharedFileLink = { table: 'wiki_shared_file', owner: 'wiki_id' };
