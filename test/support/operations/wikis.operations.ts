import { StarsService } from '../../../src/stars/stars.service';
import { RoleType } from '../../../src/access/role-type';
import { WikisService } from '../../../src/wikis/wikis.service';
import { type Person, type ProjectFixture, type World } from '../world';
import {
  ADMINISTRATORS,
  DEVELOPERS,
  EVERYONE,
  type OperationCases,
  theProject,
  theWikiPage,
  times,
} from './operation-case';

/** Adds a page by a user, with a unique tag. */
async function addPage(world: World, project: ProjectFixture, author: { id: number }): Promise<number> {
  const page = {
    projectId: project.id,
    name: world.uniqueName('Page'),
    tags: [world.uniqueName('tag')],
    content: 'Its content',
    createdUserId: author.id,
  };
  return world.write((manager) => world.service(WikisService).add(manager, page));
}

async function attach(world: World, wikiId: number, person: Person): Promise<number> {
  const attachmentId = await world.addUpload(person);
  await person.api.post(`/wikis/${wikiId}/attachments`, { attachmentId: [attachmentId] });
  return attachmentId;
}

async function putStar(world: World, wikiId: number, presenter: Person): Promise<void> {
  const starrable = await world
    .service(WikisService)
    .findStarrable({ id: presenter.id, roleType: RoleType.Administrator }, wikiId);
  if (!starrable) throw new Error('There is no page to put a star on.');
  const { threadId, ...rest } = starrable;
  const star = { ...rest, presenterId: presenter.id };
  await world.write((manager) => world.service(StarsService).add(manager, { threadId }, star));
}

const fillWithPages = (world: World, project: ProjectFixture, count: number): Promise<void> =>
  times(count, async () => addPage(world, project, await world.addMember(project)));

const READ_PROJECT = { right: EVERYONE, scope: 'project', names: theProject } as const;
const READ_PAGE = { right: EVERYONE, scope: 'project', names: theWikiPage } as const;
const CHANGE_PAGE = { ...READ_PAGE, right: DEVELOPERS } as const;
const OF_FILE = {
  scope: 'project',
  names: async (world: World, { wikiId }: ProjectFixture) => ({
    wikiId,
    attachmentId: await attach(world, wikiId, world.admin),
  }),
} as const;

export const wikiOperations: OperationCases = {
  listWikis: { ...READ_PROJECT, list: { fill: fillWithPages } },
  countWikis: READ_PROJECT,
  listWikiTags: { ...READ_PROJECT, list: { fill: fillWithPages } },
  importWiki: {
    right: ADMINISTRATORS,
    scope: 'space',
    body: async (world, person) => ({
      projectId: (await world.addProject()).id,
      name: 'Page',
      content: '',
      createdUserId: person.id,
    }),
  },
  addWiki: {
    right: DEVELOPERS,
    scope: 'space',
    body: async (world, person) => {
      const project = await world.addProject();
      await world.join(project, person);
      return { projectId: project.id, name: 'Page', content: '' };
    },
  },
  getWiki: {
    ...READ_PAGE,
    list: {
      fill: (world, project, count, { wikiId }) =>
        times(count, async (number) => {
          const person = await world.addMember(project);
          await attach(world, wikiId as number, person);
          await putStar(world, wikiId as number, person);
          const tags = Array.from({ length: number }, () => `[${world.uniqueName('tag')}]`);
          await person.api.patch(`/wikis/${wikiId as number}`, { name: tags.join('') });
        }),
    },
  },
  updateWiki: { ...CHANGE_PAGE, body: (world) => ({ name: world.uniqueName('Page') }) },
  deleteWiki: {
    ...CHANGE_PAGE,
    names: async (world, project, owner) => ({ wikiId: await addPage(world, project, owner) }),
    body: () => ({}),
  },
  listWikiHistory: {
    ...READ_PAGE,
    list: {
      fill: (world, project, count, { wikiId }) =>
        times(count, async () => {
          const { api } = await world.addMember(project);
          await api.patch(`/wikis/${wikiId as number}`, { content: world.uniqueName('Content') });
        }),
    },
  },
  listWikiStars: {
    ...READ_PAGE,
    list: {
      fill: (world, project, count, { wikiId }) =>
        times(count, async () => putStar(world, wikiId as number, await world.addMember(project))),
    },
  },
  listWikiAttachments: {
    ...READ_PAGE,
    list: {
      fill: (world, project, count, { wikiId }) =>
        times(count, async () => attach(world, wikiId as number, await world.addMember(project))),
    },
  },
  attachFilesToWiki: {
    ...CHANGE_PAGE,
    body: async (world, person) => ({ attachmentId: [await world.addUpload(person)] }),
  },
  downloadWikiAttachment: { ...OF_FILE, right: EVERYONE },
  deleteWikiAttachment: { ...OF_FILE, right: DEVELOPERS },
};
