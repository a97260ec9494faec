import { type SharedFileLink } from '../../shared-files/shared-file-links.service';

/** The table that records which shared files issues are linked to. */
export const ISSUE_SHARED_FILES: SharedFileLink = { table: 'issue_shared_file', owner: 'issue_id' };
