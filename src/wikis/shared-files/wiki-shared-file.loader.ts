import { type LinkedSharedFileResource, sharedFileOf } from '../../shared-files/linked-shared-file.loader';
import { WikiLoader, type WikiResource } from '../wiki.loader';
import { WIKI_SHARED_FILES } from './wiki-shared-file-links';

/** A shared file that the path names, with the page that is linked to it. */
export type WikiSharedFileResource = LinkedSharedFileResource<WikiResource>;

/** Finds the file of `/wikis/{wikiId}/sharedFiles/{sharedFileId}`. */
export const WikiSharedFileLoader = sharedFileOf(WikiLoader, WIKI_SHARED_FILES);
