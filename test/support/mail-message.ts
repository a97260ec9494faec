/** A letter as its recipient reads it. */
export interface ReadLetter {
  /** The values of the headers by their names in lower case, decoded. */
  headers: ReadonlyMap<string, string>;
  text: string;
  html: string;
}

/** Reads the message of a letter: one with a plain text and HTML. */
export function readMessage(message: string): ReadLetter {
  const { headers, body } = split(message);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')));
  const partOf = (type: string): string => {
    const part = parts.find((one) => one.headers.get('content-type')?.startsWith(type));
    return part ? decodeBody(part.body, part.headers.get('content-transfer-encoding') ?? '') : '';
  };
  return {
    headers: new Map([...headers].map(([name, value]) => [name, decodeWords(value)])),
    text: partOf('text/plain'),
    html: partOf('text/html'),
  };
}

function split(message: string): { headers: Map<string, string>; body: string } {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (headers.has(name)) throw new Error(`The header ${name} occurs twice`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return { headers, body: message.slice(end + 4) };
}

const decodeBody = (body: string, encoding: string): string =>
  (encoding === 'base64'
    ? Buffer.from(body, 'base64').toString('utf8')
    : encoding === 'quoted-printable'
      ? decodeQuoted(body.replace(/=\r\n/g, ''))
      : body
  ).replaceAll('\r\n', '\n');

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([\dA-F]{2})/g, (_match, code: string) => String.fromCharCode(parseInt(code, 16))),
    'latin1',
  ).toString('utf8');

/** Decodes the words of RFC 2047; spaces between two of them do not count. */
const decodeWords = (value: string): string =>
  value.replace(/\?=\s+=\?/g, '?==?').replace(/(?:=\?UTF-8\?[QB]\?[^?]*\?=)+/gi, (words) => {
    const bytes = [...words.matchAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi)].map(([, kind, text = '']) =>
      kind?.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64')
        : Buffer.from(
            text
              .replaceAll('_', ' ')
              .replace(/=([\dA-F]{2})/gi, (_match, code: string) => String.fromCharCode(parseInt(code, 16))),
            'latin1',
          ),
    );
    return Buffer.concat(bytes).toString('utf8');
  });
