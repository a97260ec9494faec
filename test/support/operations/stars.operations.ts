import { StarsService } from '../../../src/comments/stars.service';
import { type Person, type ProjectFixture, type World } from '../world';
import { EVERYONE, type OperationCases } from './operation-case';

/** A star on a new comment, and its id. */
export async function addStar(world: World, project: ProjectFixture, presenter: Person): Promise<number> {
  const commentId = await world.addComment(project.issueThreadId, world.admin);
  const star = { presenterId: presenter.id, url: 'https://example.com/', title: 'A comment' };
  await world.write((manager) => world.service(StarsService).add(manager, { commentId }, star));
  const [row] = await world.dataSource.query<[{ id: number }]>('SELECT id FROM star WHERE comment_id = ?', [
    commentId,
  ]);
  return row.id;
}

export const starOperations: OperationCases = {
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
