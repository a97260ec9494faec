// With --runInBand, the suites share this process and the modules loaded here.
import './typescript-threads.cjs';
import { writeTemplate } from './template';
import { makeTemporaryFolder } from './temporary-folder';

export default async function setUp(): Promise<void> {
  makeTemporaryFolder();
  await writeTemplate();
}
