import { type FileContent, type SharedFileContent } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { limitPerProject } from '../limits/count-limit';
import { type IdPlaces, type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { WIKI_FILES } from './attachments/wiki-files';
import { RemovedWiki } from './entities/removed-wiki.entity';
import { WikiAttachment } from './entities/wiki-attachment.entity';
import { WikiSharedFile } from './entities/wiki-shared-file.entity';
import { WikiTag } from './entities/wiki-tag.entity';
import { WikiTagging } from './entities/wiki-tagging.entity';
import { WikiVersion } from './entities/wiki-version.entity';
import { Wiki } from './entities/wiki.entity';

const page = {
  id: 1,
  name: 'Home',
  content: 'Its content',
  /** Unified diff of the content. */
  diff: '',
  attachments: [] as FileContent[],
  shared_files: [] as SharedFileContent[],
};

const ids: IdPlaces = {
  id: 'wiki',
  'attachments[].id': 'attachment',
  'shared_files[].id': 'sharedFile',
};

export const wikisManifest = {
  entities: [Wiki, WikiAttachment, WikiTag, WikiVersion, RemovedWiki],
  disposable: [WikiSharedFile, WikiTagging],
  counters: { wiki: { table: 'wiki', ...limitPerProject('MAX_WIKI_PAGES', 'wiki pages') } },
  diskUsage: { wiki: WIKI_FILES },
  activities: {
    [ActivityType.WikiCreated]: { ...page, version: 1 },
    [ActivityType.WikiUpdated]: { ...page, version: 2 },
    [ActivityType.WikiDeleted]: { ...page, version: 2 },
  },
  activityIds: {
    [ActivityType.WikiCreated]: ids,
    [ActivityType.WikiUpdated]: ids,
    [ActivityType.WikiDeleted]: ids,
  },
  tags: { Wikis: 'Wiki pages, with their tags, files, history and stars.' },
  pathParameters: { wikiId: idParameter('wiki page') },
  archived: {
    wiki: { by: ['projectId'], texts: ['content'] },
    wikiVersion: { by: ['wikiId'], within: 'wiki', texts: ['content'] },
    wikiTag: { by: ['projectId'] },
    wikiTagging: { by: ['wikiId'], within: 'wiki' },
    wikiAttachment: { by: ['wikiId'], within: 'wiki' },
    wikiSharedFile: { by: ['wikiId'], within: 'wiki' },
  },
} satisfies Manifest;
