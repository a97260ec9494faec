/** Severity of a finding: nothing to do, something to look at, something to fix. */
export type Level = 'ok' | 'warning' | 'problem';

/** Result of a check: one line. */
export interface Finding {
  /** Subject of the check. */
  check: string;
  level: Level;
  message: string;
  /** Recommended action. */
  advice?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'warning',
  message,
  advice,
});
export const problem = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'problem',
  message,
  advice,
});
