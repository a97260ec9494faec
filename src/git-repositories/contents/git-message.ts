/** Maximum size of a message in a list, in bytes. */
export const MAX_MESSAGE = 8 * 1024;

/** Removes trailing line breaks from a message in linear time, unlike `/\n+$/`, which retries at each line break. */
export function withoutLastBreaks(message: string): string {
  let end = message.length;
  while (end > 0 && message.charAt(end - 1) === '\n') end--;
  return message.slice(0, end);
}
