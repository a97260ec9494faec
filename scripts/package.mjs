// Makes the published package: the built service together with the packages that it needs, in one file. npm would install the same
// packages anew, but with everything that only other uses need (half of it), and with their install scripts.
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

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAGE = mkdtempSync(join(tmpdir(), 'pms-stage-'));

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
/** The packages whose types those of `project-management-service/testing` refer to. */
const TYPED = /^node_modules\/(@nestjs\/common|rxjs)\//;
/** Sources, builds for browsers and other module systems, and the recipes that make npm compile something. */
const UNUSED = [
  /\.map$/,
  /(?<!\.d)\.[mc]?ts$/,
  /\/(\.npmignore|binding\.gyp)$/,
  /^node_modules\/@photostructure\/sqlite\/(src|scripts)$/,
  /^node_modules\/@opentelemetry\/[^/]+\/build\/(esm|esnext)$/,
  /^node_modules\/class-(transformer|validator)\/(bundles|esm5|esm2015)$/,
  /^node_modules\/libphonenumber-js\/(bundle|es6|es6-modern)$/,
  /^node_modules\/markdown-it\/dist\/browser$/,
  /^node_modules\/rxjs\/(src|dist\/bundles|dist\/esm|dist\/esm5)$/,
  /^node_modules\/swagger-ui-dist\/.*-es-bundle.*$/,
  /^node_modules\/typeorm\/browser$/,
];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

function isUsed(path) {
  if (UNUSED.some((pattern) => pattern.test(path))) return false;
  return !/\.d\.[mc]?ts$/.test(path) || TYPED.test(path);
}

/** Copies a package that is needed at run time, without what is not, and without what npm would run. */
function copyPackage(path) {
  cpSync(join(ROOT, path), join(STAGE, path), {
    recursive: true,
    filter: (source) => {
      const relative = source.slice(ROOT.length + 1).replaceAll('\\', '/');
      return basename(relative) !== 'node_modules' && isUsed(relative);
    },
  });
  const manifestPath = join(STAGE, path, 'package.json');
  const manifest = readJson(manifestPath);
  for (const part of ['gypfile', 'peerDependencies', 'scripts']) delete manifest[part];
  for (const name of LEFT_OUT) delete manifest.dependencies?.[name];
  writeJson(manifestPath, manifest);
}

/** Earlier builds leave the files of sources that are gone. */
function hasSource(path) {
  const source = join(ROOT, path.slice(join(ROOT, 'dist').length));
  const compiled = /^(.*)(?:\.d\.ts|\.js)$/.exec(source);
  return compiled ? ['.ts', '.tsx'].some((kind) => existsSync(compiled[1] + kind)) : existsSync(source);
}

function stage() {
  cpSync(join(ROOT, 'dist', 'src'), join(STAGE, 'dist', 'src'), { recursive: true, filter: hasSource });
  for (const file of EXTRA_FILES) cpSync(join(ROOT, file), join(STAGE, file), { recursive: true });
  const { packages } = readJson(join(ROOT, 'package-lock.json'));
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    const isNeeded = path !== '' && !dev && !devOptional && !LEFT_OUT.has(path.slice('node_modules/'.length));
    if (isNeeded && existsSync(join(ROOT, path))) copyPackage(path);
  }
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
  stage();
  const [{ filename }] = JSON.parse(
    npm('pack', '--json', '--silent', '--pack-destination', destination, STAGE),
  );
  const megabytes = (statSync(join(destination, filename)).size / 1e6).toFixed(1);
  console.log(`${join(destination, filename)} (${megabytes} MB)`);
} finally {
  rmSync(STAGE, { recursive: true });
}
