/** Returns a comment on a line with its place. */
export function withPlace(body: string, { path, line }: { path: string; line: number | null }): string {
  if (path === '') return body;
  const place = `\`${path.replaceAll('`', "'").replaceAll('\n', ' ')}\``;
  return `${place}${line === null ? '' : `, line ${line}`}:\n\n${body}`;
}
