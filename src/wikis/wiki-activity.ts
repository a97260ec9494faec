import { type FileContent, type SharedFileContent } from '../activities/activity-content';
import { type WikiState } from './data/wiki.repository';

/** What an activity on a page tells besides the page's state. */
interface WikiChange {
  diff?: string;
  attachments?: FileContent[];
  shared_files?: SharedFileContent[];
}

/** Returns the content of activities about a page (5, 6 and 7). */
export const wikiActivity = (
  id: number,
  { name, content, version }: WikiState,
  { diff = '', attachments = [], shared_files = [] }: WikiChange = {},
) => ({ id, name, content, diff, version, attachments, shared_files });
