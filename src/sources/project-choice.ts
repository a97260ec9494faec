/** Which projects of a source are imported, and with which keys. */
export interface ProjectChoice {
  /** Undefined for all. */
  projects?: string[];
  /** Other keys, by the names of the projects in the source. */
  projectKeys: Map<string, string>;
}

/** Returns the choice that `KEY` and `KEY:NEW` make; all projects without one. */
export function projectChoice(chosen: readonly string[] | undefined): ProjectChoice {
  const pairs = chosen?.map((one): [string, string | undefined] => {
    const [named = '', as] = one.split(':');
    return [named, as];
  });
  return {
    ...(pairs && { projects: pairs.map(([named]) => named) }),
    projectKeys: new Map(pairs?.filter((pair): pair is [string, string] => pair[1] !== undefined)),
  };
}
