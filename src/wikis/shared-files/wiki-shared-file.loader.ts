import { type LinkedSharedFileResource, sharedFileOf } from '../../shared-files/linked-shared-file.loader';
import { WikiLoader, type WikiResource } from '../wiki.loader';
import { WIKI_SHARED_FILES } from './wiki-shared-file-links';

/** A shared file that the path identifies, with the page that it is linked to. */
export type WikiSharedFileResource = LinkedSharedFileResource<WikiResource>;

/** Loads the file of `/wikis/{wikiId}/sharedFiles/{sharedFileId}`. */
export const WikiSharedFileLoader = sharedFileOf(WikiLoader, WIKI_SHARED_FILES);
