const UNRELEASED = '## [Unreleased]';

/**
 * The changelog in which what was unreleased is the section of a version.
 * @param date in the form 2026-11-22
 * @throws Error when nothing is unreleased, or the version has a section already
 */
export function releaseChangelog(text: string, version: string, date: string): string {
  const heading = `## [${version}]`;
  const lines = text.split('\n');
  const start = lines.indexOf(UNRELEASED);
  if (start < 0) throw new Error(`CHANGELOG.md has no section ${UNRELEASED}.`);
  if (lines.some((line) => line.startsWith(heading))) {
    throw new Error(`CHANGELOG.md has a section ${heading} already.`);
  }
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  if (!section.some((line) => line.startsWith('- ')))
    throw new Error('CHANGELOG.md lists nothing unreleased.');
  return [...lines.slice(0, start + 1), '', `${heading} - ${date}`, ...lines.slice(start + 1)].join('\n');
}

/** A document in which the name of the package's file, and lines that set the variable `V`, have another version. */
export function replaceVersion(text: string, from: string, to: string): string {
  return text
    .replaceAll(`project-management-service-${from}.tgz`, `project-management-service-${to}.tgz`)
    .split('\n')
    .map((line) => (line === `V=${from}` ? `V=${to}` : line))
    .join('\n');
}
