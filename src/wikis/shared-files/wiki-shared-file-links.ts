import { type SharedFileLink } from '../../shared-files/shared-file-links.service';

/** The table that records which shared files wiki pages are linked to. */
export const WIKI_SHARED_FILES: SharedFileLink = { table: 'wiki_shared_file', owner: 'wiki_id' };
