/** Why a source cannot be read, in one sentence for the operator. What the spool has is kept (`docs/decisions/0070-sources.md`). */
export class SourceError extends Error {}

/** Returns why the issues of a project cannot be imported. */
export const hiddenIssues = (name: string): SourceError =>
  new SourceError(`The key may not see the issues of ${name}.`);
