import { dropTestDatabases } from './database';
import { writeTemplate } from './template';
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder';
import { compileThreads } from './threads';

/** Prepares a run, and returns what to do after it. */
export default async function setUp(): Promise<() => Promise<void>> {
  makeTemporaryFolder();
  compileThreads();
  await writeTemplate();
  return async () => {
    await dropTestDatabases();
    removeTemporaryFolder();
  };
}
