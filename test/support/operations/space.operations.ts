import { ADMINISTRATORS, EVERYONE, type OperationCases } from './operation-case';

export const spaceOperations: OperationCases = {
  getSpaceNotification: { right: EVERYONE, scope: 'space' },
  updateSpaceNotification: {
    right: ADMINISTRATORS,
    scope: 'space',
    body: (world) => ({ content: world.uniqueName('News') }),
  },
  getLicence: { right: EVERYONE, scope: 'space' },
};
