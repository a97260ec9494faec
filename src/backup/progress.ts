/** Progress of a backup or a restore. */
export interface Progress {
  step: 'verify' | 'files' | 'rows' | 'repositories' | 'check' | 'place';
  /** Number of files, rows or git repositories so far. */
  done: number;
  /** Bytes of files or git repositories so far. */
  bytes?: number;
  /** Total number, if known. */
  total?: number;
}
