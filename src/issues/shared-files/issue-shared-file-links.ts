import { type SharedFileLink } from '../../shared-files/shared-file-links.service';

/** The table that links shared files to issues. */
export const ISSUE_SHARED_FILES: SharedFileLink = { table: 'issue_shared_file', owner: 'issue_id' };
