import { GitProgram } from '../../../src/git/git-program';
import { GitRepositoriesService } from '../../../src/git-repositories/git-repositories.service';
import { gitIn, importCommits } from '../git-history';
import { type Person, type ProjectFixture, type World } from '../world';
import {
  DEVELOPERS,
  type Names,
  type OperationCase,
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

/** The head of `main` in the projects that have contents. */
const heads = new WeakMap<ProjectFixture, string>();

/**
 * Returns the repository of the project with the branches of its pull request, if there is git. The contents of two projects always
 * differ.
 */
export async function theContents(world: World, project: ProjectFixture): Promise<Names> {
  const { repositoryId, key } = project;
  if (!heads.has(project) && (await world.service(GitProgram).isAvailable())) {
    const [head] = await importCommits(world, repositoryId, [
      { ref: 'refs/heads/main', message: key, files: [{ path: 'README.md', content: key }] },
      { ref: 'refs/heads/feature', parents: [':1'], files: [{ path: 'feature', content: key }] },
    ]);
    heads.set(project, head!);
  }
  return theRepository(world, project);
}

async function aCommit(world: World, project: ProjectFixture): Promise<Names> {
  const names = await theContents(world, project);
  return { ...names, hash: heads.get(project) ?? '0'.repeat(40) };
}

async function aBranch(world: World, project: ProjectFixture): Promise<Names> {
  const names = await theContents(world, project);
  const name = newName(world);
  if (await world.service(GitProgram).isAvailable())
    await gitIn(world, project.repositoryId, ['branch', name, 'main']);
  return { ...names, name };
}

const OF_CONTENTS: OperationCase = { right: DEVELOPERS, scope: 'project', names: theContents, withGit: true };

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
  listBranches: OF_CONTENTS,
  addBranch: { ...OF_CONTENTS, body: (world) => ({ name: newName(world), from: 'main' }) },
  deleteBranch: { ...OF_CONTENTS, names: aBranch },
  listTags: OF_CONTENTS,
  listCommits: OF_CONTENTS,
  getCommit: { ...OF_CONTENTS, names: aCommit },
  listTree: OF_CONTENTS,
  downloadGitFile: { ...OF_CONTENTS, query: { path: 'README.md' } },
  compareCommits: { ...OF_CONTENTS, query: { base: 'main', head: 'feature' } },
};
