import { type Manifest } from '../manifest';

/** Icons of projects. */
export const iconsManifest = {
  archived: { projectIcon: { table: 'icon', by: ['subjectId'], only: { subjectType: 'project' } } },
} satisfies Manifest;
