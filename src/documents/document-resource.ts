import { type ProjectResource } from '../projects/project-resource';

/** A document that the path identifies. */
export interface DocumentResource extends ProjectResource {
  uid: string;
  threadId: number;
  statusId: number;
}
