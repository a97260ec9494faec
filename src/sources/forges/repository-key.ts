import { projectKeys, toProjectKey } from '../project-keys';
import { type SourceOptions } from '../source';
import { SourceError } from '../source.error';

/**
 * Returns the key of the project that a repository becomes: of its name, or as `--project NAME:KEY` says.
 * @param path of the repository, such as `owner/repository`
 * @throws SourceError if the option names another project, or a key that is not valid
 */
export function repositoryKey(
  from: string,
  path: string,
  { projects, projectKeys: given }: Pick<SourceOptions, 'projects' | 'projectKeys'>,
): string {
  const name = path.split('/').at(-1) ?? '';
  const key = toProjectKey(name);
  const other = projects?.find((one) => toProjectKey(one) !== key);
  if (other !== undefined) {
    throw new SourceError(
      `${from} is the project ${key}: --project can only give it another key, as ${key}:NEW.`,
    );
  }
  const as = [...(given?.values() ?? [])].map((one): [string, string] => [name, one]);
  return projectKeys([name], new Map(as)).get(name) ?? key;
}
