import { type Person, type ProjectFixture, type World } from '../world';
import {
  ADMINISTRATORS,
  EVERYONE,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theProject,
  times,
} from './operation-case';

const newProject = (world: World): { name: string; key: string } => ({
  name: 'Website',
  key: world.uniqueName('WEB').replace(' ', '_'),
});

const aUser = async (world: World): Promise<object> => ({ userId: (await world.addUser()).id });

const aMember =
  (projectAdministrator: boolean) =>
  async (world: World, _person: Person, project: ProjectFixture): Promise<object> => ({
    userId: (await world.addMember(project, undefined, projectAdministrator)).id,
  });

const members = (projectAdministrator: boolean): OperationCase['list'] => ({
  fill: (world, project, count) =>
    times(count, () => world.addMember(project, undefined, projectAdministrator)),
});

const OF_PROJECT: OperationCase = { right: EVERYONE, scope: 'project', names: theProject };

export const projectOperations: OperationCases = {
  listProjects: {
    right: EVERYONE,
    scope: 'space',
    list: {
      fill: (world, _project, count) =>
        times(count, () => world.admin.api.post('/projects', newProject(world))),
    },
  },
  addProject: { right: ADMINISTRATORS, scope: 'space', body: newProject },
  getProject: OF_PROJECT,
  updateProject: { ...OF_PROJECT, right: PROJECT_ADMINISTRATORS, body: () => ({ name: 'Another name' }) },
  deleteProject: { ...OF_PROJECT, right: ADMINISTRATORS, freshProject: true },
  listProjectUsers: { ...OF_PROJECT, list: members(false) },
  addProjectUser: { ...OF_PROJECT, right: PROJECT_ADMINISTRATORS, body: aUser },
  deleteProjectUser: { ...OF_PROJECT, right: PROJECT_ADMINISTRATORS, body: aMember(false) },
  listProjectAdministrators: { ...OF_PROJECT, list: members(true) },
  addProjectAdministrator: { ...OF_PROJECT, right: ADMINISTRATORS, body: aMember(false) },
  deleteProjectAdministrator: { ...OF_PROJECT, right: ADMINISTRATORS, body: aMember(true) },
};
