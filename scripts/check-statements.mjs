import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import ts from 'typescript';

/** The folder whose files may run any statement on any table. */
const DATABASE = 'src/database/';
/** The rooms of the modules, the only other place where statements are run. */
const DATA_ROOM = /^src\/[^/]+\/(?:.+\/)?data\//;
const ENTITY = /^src\/.+\/entities\/[^/]+\.entity\.ts$/;

/** A table after a keyword, in whatever quotes; not after `FOR UPDATE` or `ON DUPLICATE KEY UPDATE`. */
const TABLE = /(?:\b(?:FROM|JOIN|INTO)|(?<!\b(?:FOR|KEY)\s+)\bUPDATE)\s+[\\`"]*(\w+)/g;

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return /(?<!\.spec)\.tsx?$/.test(path) ? [path] : [];
  });
}

/** The module of a file: the first folder below `src`. */
const moduleOf = (path) => path.split('/')[1];

function* nodesOf(node) {
  yield node;
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** The tables that the entities of a file name. */
function* tablesOf(source) {
  for (const node of nodesOf(source)) {
    if (!ts.isDecorator(node) || !ts.isCallExpression(node.expression)) continue;
    const { expression, arguments: parameters } = node.expression;
    const [table] = parameters;
    if (expression.getText(source) === 'Entity' && table && ts.isStringLiteralLike(table)) yield table.text;
  }
}

const isQuery = (node) =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === 'query';

/** Texts, or the parts of a template between its expressions. */
const isText = (node) =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);

/** What is wrong in a file, each with its position. */
function* problemsIn(path, source, owners) {
  for (const node of nodesOf(source)) {
    if (isQuery(node) && !DATA_ROOM.test(path)) {
      const position = node.expression.name.getStart(source);
      yield [position, 'runs a statement outside of a folder data/'];
    }
    if (!isText(node)) continue;
    for (const { 1: table, index } of node.getText(source).matchAll(TABLE)) {
      const owner = owners.get(table);
      if (owner === undefined || owner === moduleOf(path)) continue;
      yield [node.getStart(source) + index, `names the table ${table}, which belongs to src/${owner}/`];
    }
  }
}

const sources = new Map(
  filesBelow('src').map((path) => [
    path,
    ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest),
  ]),
);
const owners = new Map();
for (const [path, source] of sources) {
  if (!ENTITY.test(path)) continue;
  for (const table of tablesOf(source)) owners.set(table, moduleOf(path));
}

let count = 0;
for (const [path, source] of sources) {
  if (path.startsWith(DATABASE)) continue;
  for (const [position, problem] of problemsIn(path, source, owners)) {
    count++;
    console.error(`${path}:${source.getLineAndCharacterOfPosition(position).line + 1}: ${problem}`);
  }
}

if (count > 0) process.exitCode = 1;
else console.log(`Every statement in ${sources.size} files belongs to the module that owns its tables`);
