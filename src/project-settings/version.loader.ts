import { childOfProject, type ProjectResource } from '../projects/project-resource';

/** Finds the version of `/projects/{projectIdOrKey}/…/{versionId}`. */
export const VersionLoader = childOfProject<ProjectResource>({
  table: 'version',
  parameter: 'versionId',
  what: 'version',
});
