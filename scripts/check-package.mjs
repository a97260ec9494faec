// Installs the published package in an empty folder and runs it there: it has to start without anything else, and to stay small.
//
//   node scripts/check-package.mjs                 also writes a digest of what determines the package's contents
//   node scripts/check-package.mjs --if-changed    does nothing if that digest is the current one
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { call, check, devDependencies, name, run, version, withService } from './support/running-service.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const MAX_MEGABYTES = 80;
const MAX_START_SECONDS = 10;
/** The digest of the last successful check. */
const CHECKED = join(ROOT, 'scripts/check-package.sha256');
const DETERMINING = [
  'package.json',
  'package-lock.json',
  'scripts/bundle.mjs',
  'scripts/check-package.mjs',
  'scripts/package.mjs',
  'scripts/support/running-service.mjs',
];

/** Returns a digest of the files that determine which packages and which kinds of files the package contains. */
function digest() {
  const hash = createHash('sha256');
  for (const file of DETERMINING) hash.update(readFileSync(join(ROOT, file)));
  return `${hash.digest('hex')}\n`;
}

/** What files take on a disk, in blocks of 512 bytes. */
const blocksOf = (path) => {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.blocks;
  return readdirSync(path).reduce((sum, entry) => sum + blocksOf(join(path, entry)), stat.blocks);
};

function install(folder) {
  run(ROOT, process.execPath, 'scripts/package.mjs', folder);
  const project = join(folder, 'project');
  mkdirSync(project);
  const tarball = join(folder, `${name}-${version}.tgz`);
  run(
    project,
    'npm',
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--foreground-scripts',
    tarball,
  );
  return project;
}

function checkInstallation(project) {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const own = `node_modules/${name}`;
  const foreign = Object.entries(packages).filter(([path]) => path !== '' && path !== own);
  const fetched = foreign.filter(([, { inBundle }]) => !inBundle).map(([path]) => path);
  check(fetched.length === 0, `The package does not contain what it needs: ${fetched.join(', ')}`);
  const scripts = foreign.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  check(scripts.length === 0, `Something runs at the installation: ${scripts.join(', ')}`);
  const tools = Object.keys(devDependencies).filter((tool) =>
    existsSync(join(project, own, 'node_modules', tool)),
  );
  check(tools.length === 0, `The package contains tools: ${tools.join(', ')}`);
  // A bundled package that is not needed by any other would have no edge to it.
  run(project, 'npm', 'ls', '--all', '--silent');
  const megabytes = Math.ceil((blocksOf(project) * 512) / 2 ** 20);
  check(megabytes < MAX_MEGABYTES, `The package takes ${megabytes} MB; ${MAX_MEGABYTES} are too many`);
  return { megabytes, packages: foreign.length };
}

/** Runs the service in a folder where there is nothing, and returns how many seconds its start took. */
async function checkService(project) {
  const pms = join(project, 'node_modules', '.bin', 'pms');
  check(run(project, pms, '--version').trim() === version, 'pms --version shows another version');
  const seconds = await withService(project, [pms], async (address) => {
    const { userId } = await call(address, 'GET', '/users/myself', 200);
    check(userId === 'admin', 'The service does not answer');
    check(
      run(project, pms, 'user', 'list').includes('admin'),
      'pms user list does not show the administrator',
    );
    const documentation = await globalThis.fetch(`${new URL(address).origin}/api-docs/swagger-ui-bundle.js`);
    check(documentation.ok, 'The documentation is not complete');
  });
  check(seconds < MAX_START_SECONDS, `The start took ${seconds.toFixed(1)} s`);
  check(existsSync(join(project, 'data', 'service.db')), 'The service created no database');
  return seconds;
}

async function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'pms-package-'));
  try {
    const project = install(folder);
    const { megabytes, packages } = checkInstallation(project);
    const testing =
      "require('project-management-service/testing').startTestServer().then((server) => server.close())";
    run(project, process.execPath, '--disable-warning=ExperimentalWarning', '-e', testing);
    const seconds = await checkService(project);
    console.log(
      `${name} ${version}: ${packages} packages in ${megabytes} MB, none fetched, no install scripts; started in ${seconds.toFixed(1)} s on Node ${process.versions.node}`,
    );
    if (!process.env.CI) writeFileSync(CHECKED, digest());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wasChecked = existsSync(CHECKED) && readFileSync(CHECKED, 'utf8') === digest();
if (process.argv.includes('--if-changed') && wasChecked) {
  console.log('What determines the contents of the package has not changed since the last check.');
} else {
  await checkPackage();
}
