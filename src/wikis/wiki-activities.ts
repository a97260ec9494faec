import { type FileContent, type Named, type SharedFileContent } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';

export interface WikiContent extends Named {
  content: string;
  /** Unified diff of the content. */
  diff: string;
  version: number;
  attachments: FileContent[];
  shared_files: SharedFileContent[];
}

const created: WikiContent = {
  id: 1,
  name: 'Home',
  content: 'Its content',
  diff: '',
  attachments: [],
  shared_files: [],
  version: 1,
};

/** Sample content of the activities of wiki pages. */
export const wikiActivities = {
  [ActivityType.WikiCreated]: created,
  [ActivityType.WikiUpdated]: { ...created, version: 2 },
  [ActivityType.WikiDeleted]: { ...created, version: 2 },
};
