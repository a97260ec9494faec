import { join } from 'node:path';
import { type Workspace } from '../support/workspace';

/** Returns the settings of an instance of its own, besides the database. @param name of its folders */
export const importSettings = (workspace: Workspace, name: string): Record<string, string> => ({
  STORAGE_URL: `file:${join(workspace.folder, `${name}-files`)}`,
  GIT_ROOT: join(workspace.folder, `${name}-git`),
  IMPORT_ROOT: join(workspace.folder, `${name}-imports`),
});
