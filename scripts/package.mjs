// Makes the published package: the built service and the packages that it needs, bundled into few files, which start faster than
// thousands (docs/decisions/0074-bundled-package.md). npm would install the same packages anew, but with everything that only other uses
// need, and with their install scripts.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const BUILT = join(ROOT, 'dist', 'src');
const STAGE = mkdtempSync(join(tmpdir(), 'pms-stage-'));

const NODE_MODULES = 'node_modules/';
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What else is in the package. npm adds the README and the licence. */
const EXTRA_FILES = [
  '.env.example',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'deploy/systemd',
  'docs',
  'openapi.json',
];
/** The parts of `package.json` that are about working in a clone. */
const CLONE_ONLY = [
  'allowScripts',
  'devDependencies',
  'optionalDependencies',
  'overrides',
  'private',
  'scripts',
];

/** Packages that do nothing but run at an installation. */
const LEFT_OUT = new Set(['@scarf/scarf']);
/** What `project-management-service/testing` declares, and the packages to whose types it refers. */
const TYPES = join(BUILT, 'testing', 'index.d.ts');
const TYPED = /^node_modules\/(@nestjs\/common|rxjs)\//;
/** What describes a package: to npm, to scanners, and to who reads its licence. */
const DESCRIBING =
  /^node_modules\/(@[^/]+\/)?[^/]+(\/node_modules\/(@[^/]+\/)?[^/]+)*\/(package\.json|(licen[cs]e|copying|notice)[^/]*)$/i;
/** Sources, and the recipes that make npm compile something. */
const UNUSED = [
  /\.map$/,
  /(?<!\.d)\.[mc]?ts$/,
  /\/(\.npmignore|binding\.gyp)$/,
  /^node_modules\/@photostructure\/sqlite\/(src|scripts)$/,
  /^node_modules\/swagger-ui-dist\/.*-es-bundle.*$/,
];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

const isTypes = (path) => /\.d\.[mc]?ts$/.test(path);

/**
 * Copies a package without what npm would run.
 * @param isLoaded whether its files are loaded. Of one in the bundles, only what describes it is needed.
 */
function copyPackage(path, isLoaded) {
  const isUsed = (file) => {
    if (isTypes(file)) return TYPED.test(file);
    return isLoaded ? !UNUSED.some((pattern) => pattern.test(file)) : DESCRIBING.test(file);
  };
  cpSync(join(ROOT, path), join(STAGE, path), {
    recursive: true,
    filter: (source) => {
      const relative = source.slice(ROOT.length + 1).replaceAll('\\', '/');
      return statSync(source).isDirectory() ? basename(relative) !== 'node_modules' : isUsed(relative);
    },
  });
  const manifestPath = join(STAGE, path, 'package.json');
  const manifest = readJson(manifestPath);
  for (const part of ['gypfile', 'peerDependencies', 'scripts']) delete manifest[part];
  for (const name of LEFT_OUT) delete manifest.dependencies?.[name];
  writeJson(manifestPath, manifest);
}

/** Copies a file of types, and those that it refers to. */
function copyTypes(file) {
  cpSync(file, join(STAGE, file.slice(ROOT.length)));
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
    copyTypes(join(dirname(file), `${path}.d.ts`));
  }
}

/** Returns the names of the built modules, without those that earlier builds have left and whose sources are gone. */
const builtModules = () =>
  readdirSync(BUILT, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const [, source] = /^(.*)\.js$/.exec(name) ?? [];
    return source && ['.ts', '.tsx'].some((kind) => existsSync(join(ROOT, 'src', source + kind)));
  });

/** Returns the folders of packages and of all that they depend on. */
function withDependencies(names, packages) {
  const found = new Set();
  const add = (name, dependent) => {
    const path = pathOf(name, dependent, packages);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies } = packages[path];
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) add(other, path);
  };
  for (const name of names) add(name, '');
  return found;
}

/** Finds the package that a dependent loads under a name, as Node does; undefined if it is not in the lockfile. */
function pathOf(name, dependent, packages) {
  for (
    let folder = dependent;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))
  ) {
    const path = `${folder}${folder && '/'}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

async function stage() {
  const { packages } = readJson(join(ROOT, 'package-lock.json'));
  const needed = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path]) => path)
    .filter((path) => !LEFT_OUT.has(path.slice(NODE_MODULES.length)) && existsSync(join(ROOT, path)));
  const names = new Set(
    needed.map((path) => path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length)),
  );
  const unbundled = await bundle(BUILT, builtModules(), join(STAGE, 'dist', 'src'), names);
  copyTypes(TYPES);
  for (const file of EXTRA_FILES) cpSync(join(ROOT, file), join(STAGE, file), { recursive: true });
  const loaded = withDependencies(unbundled, packages);
  for (const path of needed) copyPackage(path, loaded.has(path));
  const manifest = readJson(join(ROOT, 'package.json'));
  const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const part of CLONE_ONLY) delete manifest[part];
  writeJson(join(STAGE, 'package.json'), {
    ...manifest,
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  });
  setModes(STAGE, new Set(Object.values(manifest.bin).map((path) => join(STAGE, path))));
}

/** Gives files the same modes whatever the umask, and makes programs executable without npm. */
function setModes(folder, programs) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path, programs);
    else chmodSync(path, programs.has(path) ? 0o755 : 0o644);
  }
}

const npm = (...parameters) =>
  execFileSync('npm', parameters, {
    cwd: ROOT,
    encoding: 'utf8',
    // npm lists every file.
    maxBuffer: MAX_OUTPUT_BYTES,
    shell: process.platform === 'win32',
  });

execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--if-changed'], {
  cwd: ROOT,
  stdio: 'inherit',
});
const destination = resolve(process.argv[2] ?? ROOT);
try {
  await stage();
  const [{ filename }] = JSON.parse(
    npm('pack', '--json', '--silent', '--pack-destination', destination, STAGE),
  );
  const megabytes = (statSync(join(destination, filename)).size / 1e6).toFixed(1);
  console.log(`${join(destination, filename)} (${megabytes} MB)`);
} finally {
  rmSync(STAGE, { recursive: true });
}
