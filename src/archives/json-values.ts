const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What comes before values: a comma, and opening brackets of both kinds. */
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Whether JSON has at most `most` values, each of which takes far more memory and time than its characters. */
export function hasFewValues(text: string, most: number): boolean {
  if (text.length <= most) return true;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if ((code === COMMA || code === BRACKET || code === BRACE) && ++count > most) return false;
  }
  return true;
}

/** Returns the index of the quote that ends a text. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json.charCodeAt(first - 1) === BACKSLASH) first--;
    // Two backslashes are one of the text.
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}

/** Whether a value can be handled by functions that call themselves for each level, and has no text that the database changes. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (levels <= 0) return false;
  if (Array.isArray(value)) return value.every((one) => isShallow(one, levels - 1));
  // A copy of its entries would take as much memory again.
  for (const name in value) {
    if (!name.isWellFormed() || !isShallow((value as Record<string, unknown>)[name], levels - 1))
      return false;
  }
  return true;
}
