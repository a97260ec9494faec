import { GitRepositoriesService } from '../../../src/git-repositories/git-repositories.service';
import { type Person, type ProjectFixture, type World } from '../world';
import {
  DEVELOPERS,
  type Names,
  type OperationCases,
  ADMINISTERING_DEVELOPERS,
  theProject,
  times,
} from './operation-case';

export const theRepository = (_world: World, project: ProjectFixture): Names => ({
  projectIdOrKey: project,
  repoIdOrName: { id: project.repositoryId, key: project.repositoryName },
});

const newName = (world: World): string => world.uniqueName('repo').replace(' ', '-');

async function aRepository(
  world: World,
  project: ProjectFixture,
  { id: createdUserId }: Person,
): Promise<Names> {
  const name = newName(world);
  const id = await world.write((manager) =>
    world
      .service(GitRepositoriesService)
      .add(manager, { projectId: project.id, name, description: '', createdUserId }),
  );
  return { projectIdOrKey: project, repoIdOrName: { id, key: name } };
}

export const gitRepositoryOperations: OperationCases = {
  listGitRepositories: {
    right: DEVELOPERS,
    scope: 'project',
    names: theProject,
    list: {
      fill: (world, project, count) =>
        times(count, async () => aRepository(world, project, await world.addMember(project))),
    },
  },
  listProjectGitRepositories: {
    right: DEVELOPERS,
    scope: 'project',
    names: theProject,
    list: {
      fill: (world, project, count) =>
        times(count, async () => aRepository(world, project, await world.addMember(project))),
    },
  },
  addGitRepository: {
    right: ADMINISTERING_DEVELOPERS,
    scope: 'project',
    names: theProject,
    body: (world) => ({ name: newName(world) }),
  },
  getGitRepository: { right: DEVELOPERS, scope: 'project', names: theRepository },
  updateGitRepository: {
    right: ADMINISTERING_DEVELOPERS,
    scope: 'project',
    names: theRepository,
    body: (world) => ({ description: world.uniqueName('Description') }),
  },
  deleteGitRepository: { right: ADMINISTERING_DEVELOPERS, scope: 'project', names: aRepository },
};
