import { type ProjectResource, resourceOfProject } from '../projects/project-resource';

/** A wiki page that the path names. */
export interface WikiResource extends ProjectResource {
  threadId: number;
}

/** Finds the page of `/wikis/{wikiId}/…`, unless the caller may not see its project. */
export const WikiLoader = resourceOfProject<WikiResource>({
  table: 'wiki',
  parameter: 'wikiId',
  what: 'wiki page',
  columns: ['threadId'],
});
