import { Inject, Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { columnsOf } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type Caller } from '../access/caller';
import { ProjectsService } from './projects.service';
import { isVisible, joinProject, VISIBILITY_COLUMNS, type VisibilityRow } from './visibility';

/** Something that belongs to a project, as the path names it. */
export interface ProjectResource extends AccessResource {
  id: number;
  projectId: number;
  isProjectAdministrator: boolean;
}

/** What `findVisible` looks for. */
interface Lookup {
  select: string;
  /** What stands between FROM and WHERE; has no parameters. */
  from: string;
  /** The column that names the project. */
  projectId: string;
  where: string;
  parameters: readonly unknown[];
}

/** A row that belongs to a project that the caller may see, in one query. */
export async function findVisible<Row extends object>(
  dataSource: DataSource,
  caller: Caller,
  { select, from, projectId, where, parameters }: Lookup,
): Promise<(Row & { isProjectAdministrator: boolean }) | undefined> {
  const [row] = await dataSource.query<(Row & VisibilityRow)[]>(
    `SELECT ${select}, ${VISIBILITY_COLUMNS} FROM ${from} ${joinProject(projectId)} WHERE ${where}`,
    [caller.id, ...parameters],
  );
  if (!row || !isVisible(row, caller)) return undefined;
  const { memberId: _, projectAdministrator, projectDeleted: __, ...found } = row;
  return { ...(found as unknown as Row), isProjectAdministrator: Boolean(projectAdministrator) };
}

/** What of a table's row a loader gives. */
interface ResourceOptions {
  table: string;
  /** Name of the path parameter that holds the id. */
  parameter: string;
  /** Its name in "No such …". */
  what: string;
  /** Properties besides `id` and `projectId`. */
  columns?: readonly string[];
  /** The property that says whose it is. */
  owner?: string;
  /** What else has to be true of the row `t`. */
  where?: string;
}

/** A loader for what a path names by its id alone: `/wikis/{wikiId}`. */
export function resourceOfProject<Resource extends ProjectResource>(
  options: ResourceOptions,
): Type<ResourceLoader<Resource>> {
  @Injectable()
  class Loader implements ResourceLoader<Resource> {
    constructor(private readonly dataSource: DataSource) {}

    async load(parameters: PathParameters, caller: Caller): Promise<Resource> {
      const id = parseId(parameters[options.parameter]);
      const found =
        id === undefined ? undefined : await findById<Resource>(this.dataSource, caller, id, options);
      if (!found) throw new NoResourceError(options.what);
      return found;
    }
  }
  return Loader;
}

/** A loader for what a path names by its project and its id: `/projects/{projectIdOrKey}/categories/{categoryId}`. */
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
        id === undefined ? undefined : await findById<Resource>(this.dataSource, caller, id, options);
      if (found?.projectId !== project.id) throw new NoResourceError(options.what);
      return found;
    }
  }
  return Loader;
}

/**
 * A loader for what a path names by an id inside something else: `/issues/{issueIdOrKey}/attachments/{attachmentId}`.
 * @param find what the parent has under the id
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

async function findById<Resource extends ProjectResource>(
  dataSource: DataSource,
  caller: Caller,
  id: number,
  { table, columns = [], owner, where }: ResourceOptions,
): Promise<Resource | undefined> {
  const names = ['id', 'projectId', ...columns];
  if (owner !== undefined && !names.includes(owner)) names.push(owner);
  const found = await findVisible<Resource & Record<string, unknown>>(dataSource, caller, {
    select: columnsOf('t', names),
    from: `${table} t`,
    projectId: 't.project_id',
    where: where === undefined ? 't.id = ?' : `t.id = ? AND ${where}`,
    parameters: [id],
  });
  return found && owner !== undefined ? { ...found, ownerId: found[owner] as number } : found;
}
