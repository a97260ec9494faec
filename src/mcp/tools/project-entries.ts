import { ToolError } from '../answers/tool-error';
import { type OperationCaller } from '../operations/operation-caller';

/** An entry of a project that tools refer to by its name or id. */
export interface Entry {
  id: number;
  name: string;
  userId?: string;
}

/** The lists of a project's entries, by the parameter that refers to one. */
const LISTS = {
  issueType: 'listIssueTypes',
  status: 'listStatuses',
  category: 'listCategories',
  milestone: 'listVersions',
  version: 'listVersions',
  assignee: 'listProjectUsers',
} as const;

/** The fields to read of a list's entries: only users have many others, and a project can have thousands. */
const ENTRY_FIELDS: Readonly<Record<string, string>> = { listProjectUsers: 'id,name,userId' };

/** Returns the entries of one list of a project. */
export const listEntries = (
  call: OperationCaller,
  operation: string,
  projectIdOrKey: string,
): Promise<Entry[]> =>
  call.json(operation, { path: { projectIdOrKey }, query: { fields: ENTRY_FIELDS[operation] } });

/** Finds the entries that a tool's input names: a list is read only if something in it is named. */
export class ProjectEntries {
  private readonly lists = new Map<string, Promise<Entry[]>>();

  constructor(
    private readonly call: OperationCaller,
    private readonly projectIdOrKey: string,
  ) {}

  /**
   * Returns the id of the entry with a name, or an id as it is.
   * @param field the parameter, for the error
   * @throws ToolError with the valid names
   */
  async idOf(
    field: keyof typeof LISTS | 'priority' | 'resolution',
    wanted: string | number,
  ): Promise<number> {
    if (typeof wanted === 'number') return wanted;
    if (field === 'assignee' && wanted === 'me') return this.call.caller.id;
    const isId = /^\d{1,15}$/.test(wanted);
    if (isId && this.projectIdOrKey === '') return Number(wanted);
    const entries = await this.list(field);
    const sought = wanted.toLowerCase();
    const found = entries.filter(({ name, userId }) =>
      [name, userId].some((own) => own?.toLowerCase() === sought),
    );
    const [only, ...others] = found;
    if (only && others.length === 0) return only.id;
    // An id as a text, unless something has this name.
    if (!only && isId) return Number(wanted);
    const names = (only ? found : entries).map(({ id, name }) => `${name} (${id})`).join(', ');
    throw new ToolError(
      `${field}: there is ${only ? 'more than one' : 'no'} ${JSON.stringify(wanted)}. Valid: ${names}.`,
    );
  }

  /** Returns the ids of several entries; undefined if none is given. */
  async idsOf(
    field: keyof typeof LISTS,
    wanted: readonly (string | number)[] | undefined,
  ): Promise<number[] | undefined> {
    if (wanted === undefined) return undefined;
    const ids: number[] = [];
    for (const one of wanted) ids.push(await this.idOf(field, one));
    return ids;
  }

  private list(field: keyof typeof LISTS | 'priority' | 'resolution'): Promise<Entry[]> {
    let list = this.lists.get(field);
    if (!list) {
      if (field === 'priority') list = this.call.json('listPriorities');
      else if (field === 'resolution') list = this.call.json('listResolutions');
      else list = listEntries(this.call, LISTS[field], this.projectIdOrKey);
      this.lists.set(field, list);
    }
    return list;
  }
}

/** Returns the id of the project with a key. */
export const projectIdOf = async (call: OperationCaller, projectIdOrKey: string): Promise<number> =>
  (await call.json<{ id: number }>('getProject', { path: { projectIdOrKey } })).id;
