import { childOfProject, type ProjectResource } from '../projects/project-resource';

/** Finds the category of `/projects/{projectIdOrKey}/…/{categoryId}`. */
export const CategoryResolver = childOfProject<ProjectResource>({
  table: 'category',
  parameter: 'categoryId',
  what: 'category',
});
