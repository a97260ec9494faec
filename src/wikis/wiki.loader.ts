import { type ProjectResource, resourceOfProject } from '../projects/project-resource';

/** A wiki page that the path identifies. */
export interface WikiResource extends ProjectResource {
  threadId: number;
}

/** Loads the page of `/wikis/{wikiId}/…`, if the caller can see its project. */
export const WikiLoader = resourceOfProject<WikiResource>({
  table: 'wiki',
  parameter: 'wikiId',
  what: 'wiki page',
  columns: ['threadId'],
});
