import './typescript-imports.cjs';
import { compileService } from './compile-service';
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder';

/** Prepares a run, and returns what to do after it. */
export default async function setUp(): Promise<() => Promise<void>> {
  await compileService();
  makeTemporaryFolder();
  // These load the service.
  const { dropTestDatabases } = await import('./database.ts');
  const { writeTemplate } = await import('./template.ts');
  await writeTemplate();
  return async () => {
    await dropTestDatabases();
    removeTemporaryFolder();
  };
}
