import { type SharedFileContent } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { file } from '../activities/sample-values';
import { limitPerProject, limitFromSetting } from '../limits/count-limit';
import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { SharedFile } from './entities/shared-file.entity';

const sample: SharedFileContent = file;

export const sharedFilesManifest = {
  entities: [SharedFile],
  counters: {
    sharedFile: { table: 'shared_file', ...limitPerProject('MAX_SHARED_FILES', 'shared files and folders') },
  },
  countLimits: {
    folderEntry: limitFromSetting(
      'MAX_FOLDER_ENTRIES',
      (most) => `A folder can have at most ${most} files and folders.`,
    ),
    linkedFile: limitFromSetting(
      'MAX_ATTACHED_FILES',
      (most) => `At most ${most} shared files can be linked to one object.`,
    ),
    /** The number of links that are deleted together with a file. */
    fileLink: {
      fixed: 1000,
      message: (most) => `A shared file can be linked to at most ${most} issues, and as many wiki pages.`,
    },
  },
  diskUsage: { file: { table: 'shared_file' } },
  developerActivities: {
    [ActivityType.SharedFileAdded]: sample,
    [ActivityType.SharedFileUpdated]: sample,
    [ActivityType.SharedFileDeleted]: sample,
  },
  activityIds: {
    [ActivityType.SharedFileAdded]: { id: 'sharedFile' },
    [ActivityType.SharedFileUpdated]: { id: 'sharedFile' },
    [ActivityType.SharedFileDeleted]: { id: 'sharedFile' },
  },
  tags: { 'Shared files': 'Folders and files of projects, which can be linked to issues and wiki pages.' },
  pathParameters: {
    sharedFileId: idParameter('shared file'),
    path: {
      names: 'folder',
      description: 'Path of the folder; empty for the top folder. Slashes may be percent-encoded.',
      schema: { type: 'string' },
      example: 'guides',
    },
  },
  archived: {
    sharedFile: { by: ['projectId'], refersTo: { folderId: 'sharedFile' } },
  },
} satisfies Manifest;
