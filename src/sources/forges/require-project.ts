import { SourceError } from '../source.error';

/** @throws SourceError if an option chooses another project than the one that a repository becomes */
export function requireProject(from: string, key: string, chosen: readonly string[] | undefined): void {
  const other = chosen?.find((one) => one !== key);
  if (other !== undefined) {
    throw new SourceError(
      `${from} is the project ${key}: --project can only give it another key, as ${key}:NEW.`,
    );
  }
}
