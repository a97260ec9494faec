import { EVERYONE, type OperationCases } from './operation-case';

export const userOperations: OperationCases = {
  getMyself: { right: EVERYONE, scope: 'space' },
};
