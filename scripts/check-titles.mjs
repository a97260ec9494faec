// Checks the titles of tests: each reads on from "it" as a plain sentence in the present tense, beginning with a verb of the list.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FOLDERS = ['bench', 'scripts', 'src', 'test'];
const SPEC = /\bspec\.ts$/;
/** Functions that define a test, such as `it`, `it.each(…)` and `itOnEmbedded`. */
const TEST = /^(?:it|test)(?:[A-Z]\w*)?$/;
/** Verbs with which titles begin; one per title that needs another. */
const VERBS = readFileSync(new URL('test-title-verbs.txt', import.meta.url), 'utf8').split(/\s+/);
const FORBIDDEN = /…|\.\.\.|\bis what\b|\.$/;

/** Returns the name of the function that a call begins with: `it` for `it.each([…])('…')`. */
function nameOf(called) {
  let node = called;
  while (!ts.isIdentifier(node)) {
    if (ts.isTaggedTemplateExpression(node)) node = node.tag;
    else if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) node = node.expression;
    else return '';
  }
  return node.text;
}

function* titlesIn(node) {
  const [title, ...rest] = ts.isCallExpression(node) ? node.arguments : [];
  if (title && rest.length > 0 && TEST.test(nameOf(node.expression))) {
    if (ts.isStringLiteralLike(title)) yield title.text;
    else if (ts.isTemplateExpression(title)) yield title.head.text;
  }
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* titlesIn(child);
}

/** Whether a title is in order. One that begins with a placeholder has its verbs in the table. */
const isPlain = (title) =>
  !FORBIDDEN.test(title) && (/^[%$]\w/.test(title) || VERBS.includes(title.split(/[ ,]/, 1)[0]));

let count = 0;
const problems = [];
for (const folder of FOLDERS) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = join(folder, name);
    if (!SPEC.test(file)) continue;
    for (const title of titlesIn(
      ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022),
    )) {
      count++;
      if (!isPlain(title)) problems.push(`${file}: "it ${title}"`);
    }
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(
    'A title reads on from "it" as a sentence. Does it begin with a new verb? Add that to scripts/test-title-verbs.txt.',
  );
  process.exitCode = 1;
} else {
  console.log(`The titles of ${count} tests begin with a verb`);
}
