import { type SharedFileLink } from '../../shared-files/data/shared-file-link.repository';

/** The table that links shared files to issues. */
export const ISSUE_SHARED_FILES: SharedFileLink = { table: 'issue_shared_file', owner: 'issue_id' };
