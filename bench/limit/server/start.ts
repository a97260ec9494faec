import { join } from 'node:path';
import { type Server, startServer } from '../../support/processes';
import { type Workspace } from '../../support/workspace';

const SCRIPT = join(__dirname, 'server.js');

/**
 * Starts the bare server that the service is compared with.
 * @param isGrouping whether its commits to the embedded database share syncs
 */
export const startLimit = (workspace: Workspace, databaseUrl: string, isGrouping = false): Promise<Server> =>
  startServer(workspace, SCRIPT, { DATABASE_URL: databaseUrl, ...(isGrouping && { GROUP_COMMITS: 'yes' }) });
