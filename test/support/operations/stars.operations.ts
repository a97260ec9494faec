import { StarsService } from '../../../src/stars/stars.service';
import { type Person, type ProjectFixture, type World } from '../world';
import { EVERYONE, type Names, type OperationCase, type OperationCases, times } from './operation-case';

/** Adds a star to a new comment, and returns its id. */
export async function addStar(world: World, project: ProjectFixture, presenter: Person): Promise<number> {
  const commentId = await world.addComment(project.issueThreadId, world.admin);
  const star = {
    presenterId: presenter.id,
    authorId: world.admin.id,
    projectId: project.id,
    url: 'https://example.com/',
    title: 'A comment',
  };
  await world.write((manager) => world.service(StarsService).add(manager, { commentId }, star));
  const [row] = await world.dataSource.query<[{ id: number }]>('SELECT id FROM star WHERE comment_id = ?', [
    commentId,
  ]);
  return row.id;
}

const theUser = (_world: World, _project: ProjectFixture, { id }: Person): Names => ({ userId: id });

/** The stars of any user, shown to every caller as far as the starred items are visible. */
const OF_USER: OperationCase = { right: EVERYONE, scope: 'person', names: theUser };

export const starOperations: OperationCases = {
  listUserStars: {
    ...OF_USER,
    list: {
      fill: (world, _project, count) =>
        times(count, async () => {
          const place = await world.addProject();
          await addStar(world, place, await world.addMember(place));
        }),
    },
  },
  countUserStars: OF_USER,
  addStar: {
    right: EVERYONE,
    scope: 'space',
    body: async (world, person) => {
      const project = await world.addProject();
      await world.join(project, person);
      return { issueId: project.issueId };
    },
  },
  deleteStar: {
    right: { ...EVERYONE, ownerOnly: true },
    scope: 'project',
    names: async (world, project, owner) => ({ starId: await addStar(world, project, owner) }),
  },
};
