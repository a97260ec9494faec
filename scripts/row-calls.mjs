// Prints the calls of the service in this folder that state the type of rows, by file, as JSON of `RowCall`
// (`test/support/row-types/shapes.ts`): `query<Row[]>(…)`, and calls of functions that hand rows on under a type of their caller.
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path/posix';
import ts from 'typescript';

/** The files that can contain such a call: those that may send statements, and those that name a sender. */
const STATING_PATH = /^src\/(?:database\/(?!migrations\/)|.*\bdata\/)/;
const STATING_TEXT = /\b(?:query<|selectTogether\()/;

/** The functions that send statements; the types of their rows are those of their callers. */
const SENDERS = ['query', 'selectTogether'];
/** Objects deeper than this are not compared. */
const MAX_DEPTH = 6;
const CLASSES = ['Date', 'Uint8Array'];

const files = readdirSync('src', { recursive: true })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /(?<!\.spec)\.tsx?$/.test(path))
  .filter((path) => STATING_PATH.test(path) || STATING_TEXT.test(readFileSync(path, 'utf8')));
const program = programOf(files);
const checker = program.getTypeChecker();

/** All calls, by the name of what they call. */
const calls = new Map();
for (const source of program.getSourceFiles()) if (!source.isDeclarationFile) collectCalls(source);

const found = {};
/** Functions whose callers state the type. The set grows while it is read. */
const forwarders = new Set();
for (const call of calls.get('query') ?? []) {
  const type = typeStatedFor(call);
  if (type) add(call, checker.getTypeFromTypeNode(type));
}
for (const call of calls.get('selectTogether') ?? []) add(call, checker.getTypeAtLocation(call));
for (const forwarder of forwarders) {
  const name = nameOf(forwarder).text;
  if (SENDERS.includes(name)) continue;
  for (const call of calls.get(name) ?? []) {
    if (isCallOf(call, forwarder)) add(call, checker.getTypeAtLocation(call));
  }
}
console.log(JSON.stringify(found));

function add(call, result) {
  const type = checker.getAwaitedType(result) ?? result;
  const forwarder = genericAround(call, checker.typeToString(type, call, ts.TypeFormatFlags.NoTruncation));
  if (forwarder) {
    forwarders.add(forwarder);
    return;
  }
  const shape = shapeOf(type, call);
  if (!shape) return;
  const source = call.getSourceFile();
  const start = call.getStart();
  const line = source.getLineAndCharacterOfPosition(start).line + 1;
  const path = relative('.', source.fileName);
  (found[path] ??= []).push({ place: `${path}:${line}`, start, end: call.end, shape });
}

/** Returns the type of a query's rows: of `query<Type>(…)`, of `(await query(…)) as Type`, or of the function that returns them. */
function typeStatedFor(call) {
  if (call.typeArguments) return call.typeArguments[0];
  let { parent } = call;
  if (ts.isReturnStatement(parent)) {
    while (!ts.isFunctionLike(parent)) parent = parent.parent;
    return parent.type;
  }
  while (ts.isAwaitExpression(parent) || ts.isParenthesizedExpression(parent)) parent = parent.parent;
  return ts.isAsExpression(parent) ? parent.type : undefined;
}

/** Loads only the service's own files: no row has a type of a package. */
function programOf(files) {
  const options = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts'],
    strict: true,
    types: [],
    experimentalDecorators: true,
    noUncheckedIndexedAccess: true,
  };
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  host.resolveModuleNameLiterals = (names, file) =>
    names.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, file, options, host) : { resolvedModule: undefined },
    );
  return ts.createProgram(files, options, host);
}

function collectCalls(node) {
  const name = ts.isCallExpression(node) ? calleeOf(node)?.text : undefined;
  if (name !== undefined) calls.set(name, [...(calls.get(name) ?? []), node]);
  ts.forEachChild(node, collectCalls);
}

function calleeOf({ expression }) {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(name) ? name : undefined;
}

/** Returns the function around a call whose own type parameter, or that of its class, occurs in a type. */
function genericAround(call, type) {
  let method;
  for (let node = call; !ts.isSourceFile(node); node = node.parent) {
    if (ts.isFunctionLike(node) && nameOf(node)) method = node;
    if (!ts.isFunctionLike(node) && !ts.isClassLike(node)) continue;
    const names = (node.typeParameters ?? []).map(({ name }) => name.text);
    if (names.some((name) => new RegExp(`\\b${name}\\b`).test(type))) return method;
  }
  return undefined;
}

/** The name by which a function is called; that of an arrow function is that of its variable. */
function nameOf(node) {
  const { name } = ts.isArrowFunction(node) && ts.isVariableDeclaration(node.parent) ? node.parent : node;
  return name && ts.isIdentifier(name) ? name : undefined;
}

function isCallOf(call, declaration) {
  const callee = calleeOf(call);
  const name = nameOf(declaration);
  const [one, other] = [callee, name].map((node) => node && checker.getSymbolAtLocation(node));
  if (!one || !other) return false;
  const target = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one;
  // The methods of a generic class have one symbol for each of its types.
  return target === other || target.valueDeclaration === other.valueDeclaration;
}

function shapeOf(type, at, depth = 0) {
  const { TypeFlags: is } = ts;
  if (type.flags & (is.Any | is.Unknown | is.TypeParameter) || depth > MAX_DEPTH) return null;
  const of = (part) => shapeOf(part, at, depth + 1);
  if (type.isUnion()) return either(type.types.map((part) => shapeOf(part, at, depth)));
  if (type.flags & is.StringLike) return { kinds: ['string'] };
  if (type.flags & is.NumberLike) return { kinds: ['number'] };
  if (type.flags & is.BooleanLike) return { kinds: ['boolean'] };
  if (type.flags & is.BigIntLike) return { kinds: ['bigint'] };
  if (type.flags & is.Null) return { kinds: ['null'] };
  if (type.flags & (is.Undefined | is.Void)) return { kinds: ['undefined'] };
  if (checker.isArrayLikeType(type)) {
    const item = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    return { kinds: [], items: item ? of(item) : null };
  }
  if (type.getCallSignatures().length > 0) return { kinds: ['function'] };
  const name = type.symbol?.name ?? '';
  if (CLASSES.includes(name)) return { kinds: [name] };
  if (checker.getIndexInfosOfType(type).length > 0 || type.flags & is.NonPrimitive) {
    return { kinds: ['object'] };
  }
  const properties = checker
    .getPropertiesOfType(type)
    .map((property) => [property.name, of(checker.getTypeOfSymbolAtLocation(property, at))]);
  return properties.length === 0 ? null : { kinds: [], objects: [Object.fromEntries(properties)] };
}

/** Returns what a value may be that is of one of several shapes. */
function either(shapes) {
  if (shapes.includes(null)) return null;
  const known = shapes.filter((shape) => shape !== null);
  const items = known.flatMap((shape) => (shape.items === undefined ? [] : [shape.items]));
  const objects = known.flatMap((shape) => shape.objects ?? []);
  return {
    kinds: [...new Set(known.flatMap(({ kinds }) => kinds))],
    ...(items.length > 0 && { items: either(items) }),
    ...(objects.length > 0 && { objects }),
  };
}
