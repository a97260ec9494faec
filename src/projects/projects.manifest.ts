import { type Manifest } from '../manifest';

/** Projects with their members and the numbers that they have given. */
export const projectsManifest = {
  archived: {
    project: { only: { deleted: false }, without: ['importId'] },
    projectMember: { by: ['projectId'] },
    projectCounter: { by: ['projectId'] },
  },
} satisfies Manifest;
