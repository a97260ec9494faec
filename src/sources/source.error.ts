/** Why a source cannot be read, in one sentence for the operator. What the spool has is kept (`docs/decisions/0070-sources.md`). */
export class SourceError extends Error {}
