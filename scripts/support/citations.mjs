import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** Folders outside of the repository, and the spec of this check, whose examples are wrong on purpose. */
const SKIPPED = new Set(['.git', 'coverage', 'dist', 'node_modules', 'check-citations.spec.ts']);
/** The database of a server started here. Folders of this name below `src` are source. */
const DATABASE_FOLDER = 'data';
const CHECKED = /\.(?:ts|mjs|cjs|md)$|^\.env\.example$/;

/** A document by its path from the root, with a heading if wanted: `CONTRIBUTING.md`, `docs/limits.md#requests`. */
const CITATION = /(?<![\w./-])(\w[\w-]*(?:\/[\w.-]+)*\.md)\b(?:#([\p{L}\p{N}_-]+))?/gu;
const LINK = /\]\(([^()\s]+)(?: +"[^"\n]*")?\)/g;
const EXTERNAL = /^[a-z][a-z+.-]*:/i;

/** Citations by numbers of documents that the repository does not have. */
const OLD_FORMS = [
  /\bdecisions,[\s*/]+section\b/gi,
  /\bspec(?:ification)?,?[\s*/]+(?:section[\s*/]+)?\d+(?:\.\d+)?/gi,
  /\bsections?[\s*/]+\d[\d.]*[\s*/]+of[\s*/]+(?:the[\s*/]+)?(?:contract|spec)/gi,
  /(?:\/\*\*|\bbody of) [1-9]\.[1-9]\b/gi,
];

/** The paths, from the root, of the files and folders below a folder. */
function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (SKIPPED.has(entry.name) || path === DATABASE_FOLDER) return [];
    return entry.isDirectory() ? [path, ...filesBelow(root, path)] : [path];
  });
}

/** The text without its fenced code, with as many lines. */
function withoutFences(text) {
  let fence;
  return text
    .split('\n')
    .map((line) => {
      const mark = /^ *(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined) {
        fence = mark;
        return mark === undefined ? line : '';
      }
      if (mark?.startsWith(fence)) fence = undefined;
      return '';
    })
    .join('\n');
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(text) {
  const uses = new Map();
  return new Set(
    [...withoutFences(text).matchAll(/^ {0,3}#{1,6} +(.+?)(?: +#+)? *$/gm)].map(([, heading]) => {
      const slug = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
        .replaceAll(' ', '-');
      const use = uses.get(slug) ?? 0;
      uses.set(slug, use + 1);
      return use === 0 ? slug : `${slug}-${use}`;
    }),
  );
}

/** What a file cites: the citation as written, its line, the path from the root and the anchor. */
function* citationsOf(path, text) {
  const isMarkdown = path.endsWith('.md');
  for (const { 0: citation, 1: target, 2: anchor, index } of text.matchAll(CITATION)) {
    // Documents call each other by their bare names, too.
    if (isMarkdown && !target.startsWith('docs/')) continue;
    yield { citation, line: lineAt(text, index), target, anchor };
  }
  if (!isMarkdown) return;
  const prose = withoutFences(text).replace(/`[^`\n]*`/g, '');
  for (const { 1: citation, index } of prose.matchAll(LINK)) {
    if (EXTERNAL.test(citation)) continue;
    const [file, anchor] = citation.split('#');
    const target = file === '' ? path : join(dirname(path), file).replace(/\/$/, '');
    yield { citation, line: lineAt(prose, index), target, anchor };
  }
}

const lineAt = (text, index) => text.slice(0, index).split('\n').length;

/** Returns the problems of the citations in a repository, each in a line, and the number of its files. */
export function checkCitations(root) {
  const paths = filesBelow(root, '.');
  const existing = new Set(paths);
  const texts = new Map(
    paths.filter((path) => CHECKED.test(path)).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
  const anchors = new Map(
    [...texts].filter(([path]) => path.endsWith('.md')).map(([path, text]) => [path, anchorsOf(text)]),
  );

  const problems = new Set();
  for (const [path, text] of texts) {
    for (const { citation, line, target, anchor } of citationsOf(path, text)) {
      if (!existing.has(target)) problems.add(`${path}:${line}: ${citation}: there is no ${target}`);
      else if (anchor && !anchors.get(target)?.has(anchor)) {
        problems.add(`${path}:${line}: ${citation}: ${target} has no heading #${anchor}`);
      }
    }
    for (const { 0: words, index } of OLD_FORMS.flatMap((form) => [...text.matchAll(form)])) {
      problems.add(
        `${path}:${lineAt(text, index)}: "${words}": cite a document of the repository by its path`,
      );
    }
  }
  return { problems: [...problems], files: texts.size };
}
