import { Inject, Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type Caller } from '../access/caller';
import { findVisibleById, type VisibleTable } from './data/visible-rows';
import { ProjectsService } from './projects.service';

/** A resource of a project, named in the path. */
export interface ProjectResource extends AccessResource {
  id: number;
  projectId: number;
  isProjectAdministrator: boolean;
}

/** Options of a loader. */
interface ResourceOptions extends VisibleTable {
  /** Name of the path parameter that holds the id. */
  parameter: string;
  /** Name of the resource in "No such …". */
  what: string;
}

/** Creates a loader for resources that a path names by id alone: `/wikis/{wikiId}`. */
export function resourceOfProject<Resource extends ProjectResource>(
  options: ResourceOptions,
): Type<ResourceLoader<Resource>> {
  @Injectable()
  class Loader implements ResourceLoader<Resource> {
    constructor(private readonly dataSource: DataSource) {}

    async load(parameters: PathParameters, caller: Caller): Promise<Resource> {
      const id = parseId(parameters[options.parameter]);
      const found =
        id === undefined ? undefined : await findVisibleById<Resource>(this.dataSource, caller, id, options);
      if (!found) throw new NoResourceError(options.what);
      return found;
    }
  }
  return Loader;
}

/** Creates a loader for resources that a path names by project and id: `/projects/{projectIdOrKey}/categories/{categoryId}`. */
export function childOfProject<Resource extends ProjectResource>(
  options: ResourceOptions,
): Type<ResourceLoader<Resource>> {
  @Injectable()
  class Loader implements ResourceLoader<Resource> {
    constructor(
      private readonly dataSource: DataSource,
      private readonly projects: ProjectsService,
    ) {}

    async load(parameters: PathParameters, caller: Caller): Promise<Resource> {
      const project = await this.projects.getVisible(caller, parameters.projectIdOrKey);
      const id = parseId(parameters[options.parameter]);
      const found =
        id === undefined ? undefined : await findVisibleById<Resource>(this.dataSource, caller, id, options);
      if (found?.projectId !== project.id) throw new NoResourceError(options.what);
      return found;
    }
  }
  return Loader;
}

/**
 * Creates a loader for resources that a path names by an id inside a parent:
 * `/issues/{issueIdOrKey}/attachments/{attachmentId}`.
 * @param find finds the resource of the parent with the id
 */
export function childOf<Parent extends AccessResource, Resource extends AccessResource>(
  parent: Type<ResourceLoader<Parent>>,
  { parameter, what }: Pick<ResourceOptions, 'parameter' | 'what'>,
  find: (dataSource: DataSource, parent: Parent, id: number, caller: Caller) => Promise<Resource | undefined>,
): Type<ResourceLoader<Resource>> {
  @Injectable()
  class Loader implements ResourceLoader<Resource> {
    constructor(
      private readonly dataSource: DataSource,
      @Inject(parent) private readonly parents: ResourceLoader<Parent>,
    ) {}

    async load(parameters: PathParameters, caller: Caller): Promise<Resource> {
      const parentResource = await this.parents.load(parameters, caller);
      const id = parseId(parameters[parameter]);
      const found = id === undefined ? undefined : await find(this.dataSource, parentResource, id, caller);
      if (!found) throw new NoResourceError(what);
      return found;
    }
  }
  return Loader;
}
