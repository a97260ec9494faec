import { aPicture } from '../pictures';
import {
  ADMINISTRATORS,
  aTeam,
  EVERYONE,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  type Names,
  theProject,
} from './operation-case';
import { type Person, type ProjectFixture, type World } from '../world';

const theUser = (_world: World, _project: ProjectFixture, { id }: Person): Names => ({ userId: id });

const upload = (): FormData => {
  const form = new FormData();
  form.set('file', new Blob([aPicture('png', 2, 2)]), 'me.png');
  return form;
};

const OF_SPACE: OperationCase = { right: ADMINISTRATORS, scope: 'space' };
const OF_USER: OperationCase = {
  right: { ...ADMINISTRATORS, orOwner: true },
  scope: 'person',
  names: theUser,
};
const OF_PROJECT: OperationCase = { right: PROJECT_ADMINISTRATORS, scope: 'project', names: theProject };

const OF_TEAM: OperationCase = { right: ADMINISTRATORS, scope: 'person', names: aTeam };

export const iconOperations: OperationCases = {
  getSpaceIcon: { right: EVERYONE, scope: 'space' },
  updateSpaceIcon: { ...OF_SPACE, body: upload },
  deleteSpaceIcon: OF_SPACE,
  getUserIcon: { right: EVERYONE, scope: 'person', names: theUser },
  updateUserIcon: { ...OF_USER, body: upload },
  deleteUserIcon: OF_USER,
  getProjectIcon: { right: EVERYONE, scope: 'project', names: theProject },
  updateProjectIcon: { ...OF_PROJECT, body: upload },
  deleteProjectIcon: OF_PROJECT,
  getTeamIcon: { right: EVERYONE, scope: 'person', names: aTeam },
  updateTeamIcon: { ...OF_TEAM, body: upload },
  deleteTeamIcon: OF_TEAM,
};
