import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TemporaryFolder } from '../support/sqlite';

const { TEST_PACKAGE = '' } = process.env;

describe.skipIf(TEST_PACKAGE === '' || !('enableCompileCache' in module))('the package', () => {
  const folder = new TemporaryFolder();

  afterAll(() => folder.remove());

  /** Shows the version with settings beside those of this process, and returns what is printed. */
  const showVersion = async (settings: Record<string, string>): Promise<string> => {
    const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
    const main = join(TEST_PACKAGE, 'dist/src/cli/main.js');
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, '--version'], {
      env: { ...environment, ...settings },
    });
    return stderr + stdout.trim();
  };

  it('keeps compiled code in its own folder, and none in that of temporary files', async () => {
    const temporary = folder.file('temporary');
    await mkdir(temporary);
    await expect(showVersion({ TMPDIR: temporary })).resolves.toMatch(/^\d+\.\d+\.\d+$/);
    await expect(readdir(join(TEST_PACKAGE, 'node_modules/.cache/compiled'))).resolves.not.toEqual([]);
    await expect(readdir(temporary)).resolves.toEqual([]);
  });

  it('runs where no compiled code can be kept', async () => {
    const file = folder.file('file');
    await writeFile(file, '');
    await expect(showVersion({ NODE_COMPILE_CACHE: join(file, 'cache') })).resolves.toMatch(
      /^\d+\.\d+\.\d+$/,
    );
  });
});
