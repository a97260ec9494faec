import { posix } from 'node:path';
import { stringify } from 'yaml';

/** Characters with a meaning within a line of Markdown. */
const SPECIAL = /[\\`*_{}[\]<>#|&~!]/g;

/** Returns a text of one line as Markdown shows it. */
export const asText = (text: string): string => text.replace(/\s+/g, ' ').replace(SPECIAL, '\\$&');

/** Returns a link between files of an export. @param from the path of the file with the link */
export const linkTo = (from: string, to: string, text: string): string =>
  `[${asText(text)}](${addressOf(from, to)})`;

/**
 * Returns the definition of a file's name, to which texts of the family refer as `![image][name.png]`; undefined for a name that no text can refer
 * to.
 */
export function definitionOf(from: string, to: string, name: string): string | undefined {
  return /^[^[\]\\\r\n]{1,900}$/.test(name) ? `[${name}]: ${addressOf(from, to)}` : undefined;
}

/** Returns the fields that have a value, as the YAML between lines of hyphens with which a file begins. */
export function frontMatter(fields: Readonly<Record<string, unknown>>): string {
  const some = Object.entries(fields).filter(
    ([, value]) =>
      value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return `---\n${stringify(Object.fromEntries(some), { lineWidth: 0 })}---\n`;
}

/** Returns the path from a file to another, as the address of a link. */
function addressOf(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[()'!*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    )
    .join('/');
}
