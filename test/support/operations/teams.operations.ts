import { type Person, type ProjectFixture, type World } from '../world';
import {
  ADMINISTRATORS,
  aTeam,
  EVERYONE,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theProject,
  times,
} from './operation-case';

/** Adds a team with a new member, to the project if one is given. */
const addTeam = async (world: World, project?: ProjectFixture): Promise<{ id: number }> =>
  world.addTeam([await world.addUser()], project);

const newTeam = async (world: World): Promise<object> => ({
  name: world.uniqueName('Team'),
  members: [(await world.addUser()).id],
});

const ONE: OperationCase = { right: ADMINISTRATORS, scope: 'person', names: aTeam };
const OF_PROJECT: OperationCase = { right: PROJECT_ADMINISTRATORS, scope: 'project', names: theProject };

export const teamOperations: OperationCases = {
  listTeams: {
    right: PROJECT_ADMINISTRATORS,
    scope: 'space',
    list: { fill: (world, _project, count) => times(count, () => addTeam(world)) },
  },
  addTeam: { right: ADMINISTRATORS, scope: 'space', body: newTeam },
  getTeam: ONE,
  updateTeam: { ...ONE, body: newTeam },
  deleteTeam: ONE,
  listProjectTeams: {
    ...OF_PROJECT,
    right: EVERYONE,
    list: { fill: (world, project, count) => times(count, () => addTeam(world, project)) },
  },
  addProjectTeam: {
    ...OF_PROJECT,
    body: async (world) => ({ teamId: (await world.addTeam([await world.addUser()])).id }),
  },
  deleteProjectTeam: {
    ...OF_PROJECT,
    body: async (world: World, _person: Person, project: ProjectFixture) => ({
      teamId: (await addTeam(world, project)).id,
    }),
  },
};
