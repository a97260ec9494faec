import { childOfProject, type ProjectResource } from '../projects/project-resource';

/** Finds the issue type of `/projects/{projectIdOrKey}/…/{issueTypeId}`. */
export const IssueTypeLoader = childOfProject<ProjectResource>({
  table: 'issue_type',
  parameter: 'issueTypeId',
  what: 'issue type',
});
