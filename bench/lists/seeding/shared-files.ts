import { Attachment } from '../../../src/attachments/entities/attachment.entity';
import { IssueSharedFile } from '../../../src/issues/entities/issue-shared-file.entity';
import { SharedFile } from '../../../src/shared-files/entities/shared-file.entity';
import { folderOf, pathKeyOf } from '../../../src/shared-files/shared-path';
import { WikiSharedFile } from '../../../src/wikis/entities/wiki-shared-file.entity';
import { EPOCH, insertAll, type SeedDatabase } from '../../support/seed-database';
import { list } from '../list';
import { PROJECTS } from '../population';
import { type SeededResource } from '../seeded-resource';
import { countAttachments, keyOf } from './attachments';
import { type Frame, type FrameProject } from './frame';
import { issueId } from './issues';
import { wikiId } from './wikis';

/** The only folder of each project. The first project's holds the maximum number of files; one issue in a hundred links to one of them. */
const FOLDER = 'folder';
const FILES = 1000;
const SHARE = 100;
const SIZE = 100;

/** Adds shared files that exist only as rows. */
async function seedSharedFiles(database: SeedDatabase, frame: Frame): Promise<void> {
  const { amounts } = frame.population;
  const first = countAttachments(frame) + 1;
  const files = Array.from({ length: FILES + amounts.wikis }, (_, index) => index);
  const projectOf = (file: number): number => (file < FILES ? 0 : 1 + (file % (PROJECTS - 1)));
  const edit = {
    createdUserId: frame.population.userId('busy'),
    created: EPOCH,
    updatedUserId: frame.population.userId('busy'),
    updated: EPOCH,
  };
  // The folders have the lowest ids, in the order of their projects.
  const fileId = (file: number): number => PROJECTS + 1 + file;
  const place = (path: readonly string[]) => ({
    pathKey: pathKeyOf(path),
    dir: folderOf(path.slice(0, -1)),
    name: path.at(-1),
  });
  await database.write(async (manager) => {
    await insertAll(manager, Attachment, files, (file) => ({
      id: first + file,
      storageKey: keyOf(first + file),
      name: `file${file}.txt`,
      size: SIZE,
      stored: true,
      attached: true,
      createdUserId: edit.createdUserId,
      created: EPOCH,
    }));
    await insertAll(manager, SharedFile, [...frame.projects.keys()], (project) => ({
      id: project + 1,
      projectId: (frame.projects[project] as FrameProject).id,
      folderId: 0,
      ...place([FOLDER]),
      attachmentId: null,
      size: null,
      ...edit,
    }));
    await insertAll(manager, SharedFile, files, (file) => ({
      id: fileId(file),
      projectId: (frame.projects[projectOf(file)] as FrameProject).id,
      folderId: projectOf(file) + 1,
      ...place([FOLDER, `file${file}.txt`]),
      attachmentId: first + file,
      size: SIZE,
      ...edit,
    }));
    const ofFirst = files.filter((file) => projectOf(file) === 0);
    const issues = Array.from({ length: Math.ceil(amounts.issues / SHARE) }, (_, index) => index * SHARE);
    // Every issue whose number is a multiple of the share is in the first project.
    await insertAll(manager, IssueSharedFile, issues, (issue) => ({
      sharedFileId: fileId(ofFirst[(issue / SHARE) % ofFirst.length] as number),
      issueId: issueId(issue),
    }));
    await insertAll(manager, WikiSharedFile, ofFirst.slice(0, 10), (file) => ({
      sharedFileId: fileId(file),
      wikiId: wikiId(0),
    }));
    for (const { id } of frame.projects) {
      await manager.query(
        `UPDATE project_counter SET used = (SELECT COUNT(*) FROM shared_file WHERE project_id = ?)
          WHERE project_id = ? AND name = 'sharedFile'`,
        [id, id],
      );
    }
  });
}

export const sharedFiles: SeededResource = {
  seed: seedSharedFiles,
  parameters: { path: FOLDER },
  lists: [
    list('listSharedFiles'),
    list('listSharedFiles', 'count=20'),
    list('listSharedFiles', '', { path: { path: '' } }),
  ],
};
