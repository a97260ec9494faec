import { dropTestDatabases } from './database';
import { removeTemporaryFolder } from './temporary-folder';

export default async function tearDown(): Promise<void> {
  await dropTestDatabases();
  removeTemporaryFolder();
}
