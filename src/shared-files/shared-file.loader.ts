import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { childOfProject, type ProjectResource } from '../projects/project-resource';
import { ProjectsService, type VisibleProject } from '../projects/projects.service';
import { parsePath } from './shared-path';
import { SharedFilesService } from './shared-files.service';

/** The folder or file with the id in a request's path. */
export type SharedFileResource = ProjectResource;

/** Finds the folder or file of `/projects/{projectIdOrKey}/files/{sharedFileId}`. */
export const SharedFileLoader = childOfProject<SharedFileResource>({
  table: 'shared_file',
  parameter: 'sharedFileId',
  what: 'shared file',
});

/** The folder whose own path is part of a request's path. */
export interface SharedFolderResource extends VisibleProject {
  folderId: number;
}

/** Finds the folder of `/projects/{projectIdOrKey}/files/metadata/{path}`. */
@Injectable()
export class SharedFolderLoader implements ResourceLoader<SharedFolderResource> {
  constructor(
    private readonly projects: ProjectsService,
    private readonly files: SharedFilesService,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<SharedFolderResource> {
    const project = await this.projects.getVisible(caller, parameters.projectIdOrKey);
    const path = parsePath(parameters.path ?? '');
    const folderId = path && (await this.files.findFolder(project.id, path));
    if (folderId === undefined) throw new NoResourceError('folder');
    return { ...project, folderId };
  }
}
