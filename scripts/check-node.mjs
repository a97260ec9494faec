// Checks that the service works on the Node that runs this script: the built service with the core operations and a backup, and the
// package, run by npx, with the restored data.
//
//   node scripts/check-node.mjs TARBALL    the package that `npm run package` makes
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, callCoreOperations, check, ISSUE, run, withService } from './support/running-service.mjs';

const PMS = fileURLToPath(new globalThis.URL('../dist/src/cli/main.js', import.meta.url));
const pms = [process.execPath, '--disable-warning=ExperimentalWarning', PMS];
const tarball = resolve(process.argv[2]);

const folder = mkdtempSync(join(tmpdir(), 'pms-node-'));
try {
  const [original, restored] = ['original', 'restored'].map((part) => join(folder, part));
  for (const part of [original, restored]) mkdirSync(part);
  const backup = join(folder, 'backup.tar.gz');
  let commentId;
  const seconds = await withService(original, pms, async (address) => {
    commentId = await callCoreOperations(address);
    run(original, ...pms, 'backup', backup);
  });
  const npx = ['npx', '--yes', '--prefer-offline', `--package=${tarball}`];
  await withService(restored, [...npx, '--call', `pms restore ${backup} && pms`], async (address) => {
    const { content } = await call(address, 'GET', `${ISSUE}/${commentId}`, 200);
    check(content === 'kept', 'The restored comment has another content');
  });
  console.log(
    `Node ${process.versions.node}: started in ${seconds.toFixed(1)} s, did the core operations, and restored its backup through npx`,
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
