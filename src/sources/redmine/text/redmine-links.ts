import { plainMarkdown } from './guards';
import { type Tokens } from './tokens';

/** What the links of a text lead to. */
export interface TextLinks {
  /** The address of the Redmine, without a slash at its end. */
  base: string;
  /** Returns the key of an issue, such as `DEMO-12`; undefined if it is not imported. */
  issueKey: (id: number) => string | undefined;
  /** Returns the name of a wiki page of the project. */
  pageName: (title: string) => string;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** What may be before a link of Redmine. */
const BOUNDARY = String.raw`(?<=^|[\s(,\-[>|*_+])`;
/** No syntax goes beyond its line, or over a block of code. */
const END = String.raw`\n\ue302`;
/** An address and the name of a file end where a token begins. */
const ADDRESS = String.raw`[^\s<>"|\ue300-\ue303]{1,2000}`;
/** The syntax that only Redmine has, and what must not be read as phrases; each part is of limited length. */
const SYNTAX = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}@])@(?:\|\w{1,20}\|)?(?<code>[^\s@](?:[^${END}@]{0,500}[^\s@])?)@(?![\p{L}\p{N}@])`,
    String.raw`"(?<label>[^"${END}]{1,500})":(?<target>(?:(?:https?|ftp):\/\/|mailto:|www\.|[/#])(?:${ADDRESS})?)`,
    String.raw`(?<bare>(?:https?|ftp):\/\/${ADDRESS})`,
    String.raw`(?<noPage>!)?\[\[(?<page>[^${END}|\]]{1,300})(?:\|(?<title>[^${END}|\]]{1,300}))?\]\]`,
    String.raw`(?<noMacro>!)?\{\{(?<macro>[<>]?\w{1,50})(?:\((?<parameters>[^${END})]{0,500})\))?\}\}`,
    String.raw`(?<=^|[\s>(,|])!(?:[<>=]|\([^)${END}]{0,100}\)|\{[^}${END}]{0,200}\}){0,3}` +
      String.raw`(?<image>[^\s!(){}|\ue300-\ue303][^\s!(|\ue300-\ue303]{0,500})(?:\((?<caption>[^()${END}]{1,300})\))?!` +
      String.raw`(?::(?<around>(?:https?:\/\/|\/)${ADDRESS}))?`,
    String.raw`${BOUNDARY}(?<noIssue>!)?##?(?<issue>\d{1,10})(?:(?:#note)?-\d{1,6})?(?!_?[\p{L}\p{N}])`,
    String.raw`${BOUNDARY}attachment:(?:"(?<quoted>[^"${END}]{1,300})"|(?<file>[^\s"<>|\ue300-\ue303]{1,300}))`,
  ].join('|'),
  'gmu',
);
/** The scheme of an address; files have none. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** What ends a sentence rather than an address. */
const TRAILING = /[.,;:!?'*_)\]}]{1,100}$/;

/** Returns a text with tokens in place of Redmine's own links, macros and images, of code and of addresses. */
export function replaceLinks(text: string, tokens: Tokens, links: TextLinks): string {
  return text.replace(SYNTAX, (all: string, ...found: unknown[]) => {
    const groups = found.at(-1) as Groups;
    const next = text[(found.at(-3) as number) + all.length];
    return replacement(all, groups, next, tokens, links) ?? all;
  });
}

/** @param next character behind the syntax */
function replacement(
  all: string,
  groups: Groups,
  next: string | undefined,
  tokens: Tokens,
  links: TextLinks,
): string | undefined {
  const { code, label, target, bare, page, macro, image, issue, quoted, file } = groups;
  if (code !== undefined) return tokens.code(code);
  if (label !== undefined && target !== undefined) return labelled(label, target, tokens, links);
  if (bare !== undefined) return bareAddress(bare, next, tokens, links);
  if (page !== undefined) return wikiLink(all, groups, tokens, links);
  if (macro !== undefined) return macroCall(all, groups, tokens, links);
  if (image !== undefined) return imageOf(image, groups, tokens, links);
  if (issue !== undefined) return issueLink(all, groups, tokens, links);
  const name = quoted ?? file;
  return name === undefined ? undefined : attachment(name, quoted !== undefined, tokens);
}

/** Returns an address and what follows it in the sentence. */
function splitAddress(text: string): [address: string, rest: string] {
  let end = text.length - (TRAILING.exec(text)?.[0].length ?? 0);
  // A bracket that is opened in the address belongs to it.
  while (text[end] === ')' && count(text.slice(0, end), '(') > count(text.slice(0, end), ')')) end++;
  return [text.slice(0, end), text.slice(end)];
}

const count = (text: string, character: string): number => text.split(character).length - 1;

function labelled(label: string, target: string, tokens: Tokens, { base }: TextLinks): string {
  const [address, rest] = splitAddress(target);
  const absolute = address.startsWith('/')
    ? `${new URL(base).origin}${address}`
    : address.replace(/^www\./, 'https://www.');
  return `${tokens.inline(linkTo(label, absolute))}${rest}`;
}

function bareAddress(
  bare: string,
  next: string | undefined,
  tokens: Tokens,
  { base, issueKey }: TextLinks,
): string {
  const [url, rest] = splitAddress(bare);
  const path = url.startsWith(`${base}/issues/`) ? url.slice(base.length) : '';
  const [, id] = /^\/issues\/(\d{1,10})(?:[?#].*)?$/.exec(path) ?? [];
  const key = id === undefined ? undefined : issueKey(Number(id));
  // Other characters could mark phrases, or be read as a part of the address.
  const isPlain =
    /^[\w./:?&=%#+,-]+$/.test(url) &&
    !url.includes('__') &&
    /^[.,;:!?)]*(?:\s|$)/.test(`${rest}${next ?? ''}`);
  const shown = isPlain ? url : `<${destination(url)}>`;
  return `${tokens.inline(key ?? shown)}${rest}`;
}

function wikiLink(all: string, groups: Groups, tokens: Tokens, { pageName }: TextLinks): string {
  const { noPage, page = '', title } = groups;
  if (noPage !== undefined) return tokens.inline(plainMarkdown(all.slice(1)));
  const [name = ''] = page.split('#');
  // A page of another project, or a place in this page.
  if (page.includes(':') || name.trim() === '') return tokens.inline(plainMarkdown(title ?? page));
  const link = `[[${pageName(name.trim()).replaceAll('<', '\\<')}]]`;
  return tokens.inline(title === undefined || title === page ? link : `${plainMarkdown(title)} (${link})`);
}

function macroCall(
  all: string,
  { noMacro, macro = '', parameters = '' }: Groups,
  tokens: Tokens,
  links: TextLinks,
): string {
  const [first = ''] = parameters.split(',');
  const value = first.trim();
  if (noMacro !== undefined) return tokens.inline(plainMarkdown(all.slice(1)));
  switch (macro.replace(/^[<>]/, '').toLowerCase()) {
    case 'toc':
      return '';
    case 'include':
      return wikiLink(`[[${value}]]`, { page: value }, tokens, links);
    case 'thumbnail':
      return tokens.inline(`!${fileLink(value)}`);
    case 'issue': {
      const key = /^\d{1,10}$/.test(value) ? links.issueKey(Number(value)) : undefined;
      return tokens.inline(key ?? plainMarkdown(all));
    }
    default:
      return tokens.inline(plainMarkdown(all));
  }
}

function imageOf(
  image: string,
  { caption, around }: Groups,
  tokens: Tokens,
  { base }: TextLinks,
): string | undefined {
  if (SCHEME.test(image) && !/^https?:\/\//i.test(image)) return undefined;
  const address = image.startsWith('/') ? `${new URL(base).origin}${image}` : image;
  const markdown = `!${linkTo(caption ?? image, address)}`;
  if (around === undefined) return tokens.inline(markdown);
  const [url, rest] = splitAddress(around);
  const absolute = url.startsWith('/') ? `${new URL(base).origin}${url}` : url;
  return `${tokens.inline(`[${markdown}](${destination(absolute)})`)}${rest}`;
}

function issueLink(
  all: string,
  { noIssue, issue }: Groups,
  tokens: Tokens,
  { issueKey }: TextLinks,
): string | undefined {
  if (noIssue !== undefined) return tokens.inline(all.slice(1));
  const key = issueKey(Number(issue));
  return key === undefined ? undefined : tokens.inline(key);
}

function attachment(name: string, isQuoted: boolean, tokens: Tokens): string | undefined {
  const [file, rest] = isQuoted ? [name, ''] : splitAddress(name);
  if (file === '') return undefined;
  return `${tokens.inline(fileLink(file))}${rest}`;
}

/** Returns a link to a file, whose name must not be read as an address. */
const fileLink = (name: string): string =>
  `[${plainMarkdown(name)}](${destination(name).replaceAll(':', '%3A')})`;

const linkTo = (text: string, address: string): string => `[${plainMarkdown(text)}](${destination(address)})`;

/** Returns an address without the characters that end or escape one in Markdown. */
const destination = (address: string): string =>
  address.replace(
    /[\s<>()\\]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
