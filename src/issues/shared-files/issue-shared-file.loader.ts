import { type LinkedSharedFileResource, sharedFileOf } from '../../shared-files/linked-shared-file.loader';
import { IssueLoader, type IssueResource } from '../issue.loader';
import { ISSUE_SHARED_FILES } from './issue-shared-file-links';

/** A shared file that the path identifies, with the issue that it is linked to. */
export type IssueSharedFileResource = LinkedSharedFileResource<IssueResource>;

/** Loads the file of `/issues/{issueIdOrKey}/sharedFiles/{sharedFileId}`. */
export const IssueSharedFileLoader = sharedFileOf(IssueLoader, ISSUE_SHARED_FILES);
