/** Most bytes of a message that a list shows. */
export const MAX_MESSAGE = 8 * 1024;

/** A message without the line breaks at its end. In proportion to its length, unlike `/\n+$/`, which tries again at each line break. */
export function withoutLastBreaks(message: string): string {
  let end = message.length;
  while (end > 0 && message.charAt(end - 1) === '\n') end--;
  return message.slice(0, end);
}
