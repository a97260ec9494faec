import { childOfProject, type ProjectResource } from '../projects/project-resource';

/** Finds the category of `/projects/{projectIdOrKey}/…/{categoryId}`. */
export const CategoryLoader = childOfProject<ProjectResource>({
  table: 'category',
  parameter: 'categoryId',
  what: 'category',
});
