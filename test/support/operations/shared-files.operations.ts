import { addSharedFile } from '../shared-files';
import { type Person, type ProjectFixture, type World } from '../world';
import {
  ADMINISTRATORS,
  DEVELOPERS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  theIssue,
  theProject,
  theWikiPage,
  times,
} from './operation-case';

/** Adds a file with a unique name. */
const addFile = (world: World, project: ProjectFixture, person: Person, folder = ''): Promise<number> =>
  addSharedFile(person, project, { folder, name: world.uniqueName('file') });

/** Creates a folder with a file in it. */
async function aFolder(world: World, project: ProjectFixture): Promise<Names> {
  const path = world.uniqueName('folder');
  await addFile(world, project, world.admin, path);
  return { ...theProject(world, project), path };
}

const aFile = async (world: World, project: ProjectFixture): Promise<Names> => ({
  ...theProject(world, project),
  sharedFileId: await addFile(world, project, world.admin),
});

/** Links a person's new file to an issue or a page. */
async function link(world: World, project: ProjectFixture, path: string, person: Person): Promise<number> {
  const id = await addFile(world, project, person);
  await person.api.post(`${path}/sharedFiles`, { fileId: [id] });
  return id;
}

const issuePath = ({ issueKey }: ProjectFixture): string => `/issues/${issueKey}`;
const wikiPath = ({ wikiId }: ProjectFixture): string => `/wikis/${wikiId}`;

const form = (world: World): FormData => {
  const data = new FormData();
  data.set('path', world.uniqueName('folder'));
  data.set('file', new Blob(['content']), 'file.txt');
  return data;
};

/** Returns the cases for the files linked to an item. */
function linkCases(
  names: (world: World, project: ProjectFixture) => Names,
  pathOf: (project: ProjectFixture) => string,
): Record<'list' | 'link' | 'unlink', OperationCase> {
  return {
    list: {
      right: EVERYONE,
      scope: 'project',
      names,
      list: {
        fill: (world, project, count) =>
          times(count, async () => link(world, project, pathOf(project), await world.addMember(project))),
      },
    },
    link: {
      right: DEVELOPERS,
      scope: 'project',
      names,
      body: async (world, _person, project) => ({ fileId: [await addFile(world, project, world.admin)] }),
    },
    unlink: {
      right: DEVELOPERS,
      scope: 'project',
      names: async (world, project) => ({
        ...names(world, project),
        sharedFileId: await link(world, project, pathOf(project), world.admin),
      }),
    },
  };
}

const ofIssues = linkCases(theIssue, issuePath);
const ofWikis = linkCases(theWikiPage, wikiPath);

export const sharedFileOperations: OperationCases = {
  listSharedFiles: {
    right: DEVELOPERS,
    scope: 'project',
    names: aFolder,
    list: {
      fill: (world, project, count, { path }) =>
        times(count, async () => addFile(world, project, await world.addMember(project), path as string)),
    },
  },
  addSharedFile: { right: DEVELOPERS, scope: 'project', names: theProject, body: form },
  downloadSharedFile: { right: DEVELOPERS, scope: 'project', names: aFile },
  deleteSharedFile: { right: DEVELOPERS, scope: 'project', names: aFile },
  listIssueSharedFiles: ofIssues.list,
  linkIssueSharedFiles: ofIssues.link,
  unlinkIssueSharedFile: ofIssues.unlink,
  listWikiSharedFiles: ofWikis.list,
  linkWikiSharedFiles: ofWikis.link,
  unlinkWikiSharedFile: ofWikis.unlink,
  getProjectDiskUsage: { right: ADMINISTRATORS, scope: 'project', names: theProject },
  getSpaceDiskUsage: { right: ADMINISTRATORS, scope: 'space' },
};
