// Bundles the built service with the packages that it loads: finding and reading thousands of small files takes a third of a start.
// docs/decisions/0074-bundled-package.md
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';

/** What is loaded by its file name: programs, the test server, and the modules of threads. */
const ENTRIES = /^((cli\/)?main|testing\/index|.*-worker)\.js$/;
/** What a module loads when it is needed, such as a command. */
const ON_DEMAND = /(?:\bload|createRequire\)\(__filename\))\('([^']+)'\)/g;
/** Packages whose files are served, or that have native code. */
const UNBUNDLED = ['@photostructure/sqlite', 'swagger-ui-dist'];

/** What modules of packages load that the service never uses, which would take a tenth of a start. */
const UNUSED = [
  // A browser's fetch, sockets and caches, and mocks.
  { importer: 'undici/index.js', id: /^\.\/lib\/(web|mock|cache|interceptor)\// },
  // HTTP/2, which clients of undici have to ask for.
  { importer: 'undici/lib/dispatcher/client.js', id: /^\.\/client-h2\.js$/ },
  // The numbering plans of all countries.
  { importer: 'class-validator/cjs/decorator/string/IsPhoneNumber.js', id: /^libphonenumber-js\/max$/ },
];
const NOTHING = '\0nothing';

const isPath = (id) => /^[.#\0]/.test(id) || isAbsolute(id);
const packageOf = (id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/');
const isUnused = (id, importer) =>
  UNUSED.some(
    (unused) => unused.id.test(id) && importer.endsWith(join('node_modules', ...unused.importer.split('/'))),
  );
const inBuilt = (path) => `__inBuilt(${JSON.stringify(path)})`;

/** One letter beyond Latin-1 doubles the memory that V8 takes for a whole script. @throws Error for one that cannot be escaped */
function withEscapes(code) {
  const [quoted] = /(?<!\\)(?:\\\\)*\\[\u0100-\uffff]/.exec(code) ?? [];
  if (quoted) throw new Error(`A backslash stands before a letter that needs one: ${quoted}`);
  return code.replaceAll(
    /[\u0100-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the folders of packages whose modules are of two kinds, such as those for `require` and those for `import`. */
function inTwoForms(modules) {
  const kinds = new Map();
  for (const module of modules) {
    const [, folder, kind] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/.*(\.[cm]?js)$/.exec(module) ?? [];
    if (folder !== undefined) kinds.set(folder, new Set([...(kinds.get(folder) ?? []), kind]));
  }
  return [...kinds].flatMap(([folder, { size }]) => (size > 1 ? [folder] : []));
}

/**
 * Writes the bundles. What is loaded by its file name keeps it; everything else becomes chunks beside `main.js`.
 * @param built folder of the built service
 * @param names names of its modules
 * @param packages names of the packages that the service needs; what else is installed are tools
 * @returns the packages that are loaded from their folders
 */
export async function bundle(built, names, destination, packages) {
  const unbundled = new Set(UNBUNDLED);
  const entries = new Set(names.filter((name) => ENTRIES.test(name)));
  for (const name of names) {
    for (const [, id] of readFileSync(join(built, name), 'utf8').matchAll(ON_DEMAND)) {
      if (isPath(id)) entries.add(`${join(dirname(name), id)}.js`);
      else unbundled.add(packageOf(id));
    }
  }
  const build = await rolldown({
    input: Object.fromEntries([...entries].map((name) => [name.slice(0, -'.js'.length), join(built, name)])),
    platform: 'node',
    // As ES modules, each module that requires such a package would get a copy of its exports.
    resolve: { mainFields: ['main'], conditionNames: ['node', 'default'] },
    external: (id) => !isPath(id) && (unbundled.has(packageOf(id)) || !packages.has(packageOf(id))),
    plugins: [
      {
        name: 'unused parts of packages',
        resolveId: (id, importer = '') => (isUnused(id, importer) ? NOTHING : undefined),
        // The index of undici makes one.
        load: (id) => (id === NOTHING ? 'module.exports = { CacheStorage: class {} };' : undefined),
      },
      {
        name: 'modules of a bundle',
        // A module finds what is beside it by where it was built.
        transform: (code, id) => {
          if (!id.startsWith(built + sep)) return undefined;
          const name = relative(built, id);
          return code
            .replaceAll(/\b__dirname\b/g, inBuilt(dirname(name)))
            .replaceAll(/\b__filename\b/g, inBuilt(name));
        },
        generateBundle: (_options, chunks) => {
          for (const chunk of Object.values(chunks)) chunk.code = withEscapes(chunk.code);
        },
      },
    ],
    treeshake: false,
  });
  const { output } = await build.write({
    dir: destination,
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
    intro: ({ fileName }) =>
      `const __inBuilt = (path) => require('node:path').join(__dirname, ${JSON.stringify(relative(dirname(fileName), ''))}, path);`,
    // Nest and TypeORM use the names of classes.
    keepNames: true,
    // They would stay in memory with the code.
    comments: { legal: true, jsdoc: false, annotation: false },
  });
  await build.close();
  // rolldown exports the one as the module itself, and reads the other's `default`.
  const both = output.flatMap((chunk) => chunk.dynamicImports ?? []).filter((name) => entries.has(name));
  if (both.length > 0) throw new Error(`import() and createRequire() both load ${both.join(', ')}`);
  const twice = inTwoForms(output.flatMap((chunk) => Object.keys(chunk.modules ?? {})));
  if (twice.length > 0)
    throw new Error(
      `import() and require() load different forms of ${twice.join(', ')}: load it through a module of ours`,
    );
  return [...unbundled];
}
