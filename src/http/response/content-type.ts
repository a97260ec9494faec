import { lookup } from 'mime-types';

const BYTES = 'application/octet-stream';
const TEXT = 'text/plain';

/** Markup, scripts and styles, which are served as plain text. */
const ACTIVE_TEXT =
  /^(?:text\/(?:html|xml|css|cache-manifest|.*script)|application\/(?:(?:x-)?(?:java|ecma)script|node|xml|xml-dtd|x-httpd-php)|.+\+xml)$/;
/** Formats that embed such documents, or are programs themselves. */
const ACTIVE_BYTES =
  /^(?:message\/.*|multipart\/.*|application\/(?:wasm|x-shockwave-flash|java-archive|java-vm|x-java-.*|x-msdownload|x-msdos-program|x-sh|x-csh))$/;

/**
 * Returns the content type of a file by its name, from the table of mime-types. Types that a browser would execute, or render as
 * a document with scripts, become plain text or bytes (`docs/decisions/0013-files.md`).
 */
export function contentTypeOf(name: string): string {
  const type = typeOf(name);
  return type === TEXT ? `${TEXT}; charset=utf-8` : type;
}

function typeOf(name: string): string {
  const dot = name.lastIndexOf('.');
  const type = dot === -1 ? false : lookup(name.slice(dot));
  if (type === false || ACTIVE_BYTES.test(type)) return BYTES;
  // Compressed, although its type is a text type.
  if (/\.svgz$/i.test(name)) return BYTES;
  return ACTIVE_TEXT.test(type) ? TEXT : type;
}
