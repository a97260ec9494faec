import { EVERYONE, type OperationCases } from './operation-case';

export const healthOperations: OperationCases = {
  getLiveness: { right: EVERYONE, scope: 'public' },
  getReadiness: { right: EVERYONE, scope: 'public' },
};
