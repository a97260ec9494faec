/** How far a backup or a restore has come. */
export interface Progress {
  step: 'verify' | 'files' | 'rows' | 'repositories' | 'check' | 'place';
  /** Files, rows or git repositories so far. */
  done: number;
  /** Bytes of files or git repositories so far. */
  bytes?: number;
  /** How many there are, where that is known. */
  total?: number;
}
