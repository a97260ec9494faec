import { DEVELOPERS, type OperationCases, PROJECT_ADMINISTRATORS, theProject } from './operation-case';

const newName = (kind: string) => (world: { uniqueName: (kind: string) => string }) => ({
  name: world.uniqueName(kind),
  color: '#123456',
});

export const projectSettingsOperations: OperationCases = {
  addIssueType: {
    right: DEVELOPERS,
    scope: 'project',
    names: theProject,
    body: newName('Type'),
  },
  addStatus: {
    right: PROJECT_ADMINISTRATORS,
    scope: 'project',
    names: theProject,
    body: newName('Status'),
    freshProject: true,
  },
};
