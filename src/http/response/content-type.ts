import { lookup } from 'mime-types';

const BYTES = 'application/octet-stream';
const TEXT = 'text/plain';

/** Markup, scripts and styles, which are read as the texts that they are. */
const ACTIVE_TEXT =
  /^(?:text\/(?:html|xml|css|cache-manifest|.*script)|application\/(?:(?:x-)?(?:java|ecma)script|node|xml|xml-dtd|x-httpd-php)|.+\+xml)$/;
/** What carries such documents inside, or is a program itself. */
const ACTIVE_BYTES =
  /^(?:message\/.*|multipart\/.*|application\/(?:wasm|x-shockwave-flash|java-archive|java-vm|x-java-.*|x-msdownload|x-msdos-program|x-sh|x-csh))$/;

/**
 * The content type of a file by its name, from the table of mime-types. What a browser would run, or render as a document with
 * scripts, is plain text or bytes instead (`docs/decisions/0013-files.md`).
 */
export function contentTypeOf(name: string): string {
  const type = typeOf(name);
  return type === TEXT ? `${TEXT}; charset=utf-8` : type;
}

function typeOf(name: string): string {
  const dot = name.lastIndexOf('.');
  const type = dot === -1 ? false : lookup(name.slice(dot));
  if (type === false || ACTIVE_BYTES.test(type)) return BYTES;
  // Compressed, though it is of the type of a text.
  if (/\.svgz$/i.test(name)) return BYTES;
  return ACTIVE_TEXT.test(type) ? TEXT : type;
}
