/** How far a backup or a restore has come. */
export interface Progress {
  step: 'verify' | 'files' | 'rows' | 'check';
  /** Files or rows so far. */
  done: number;
  /** Bytes of files so far. */
  bytes?: number;
  /** How many there are, where that is known. */
  total?: number;
}
