/** How bad it is: nothing, something to look at, something that has to be mended. */
export type Level = 'ok' | 'warning' | 'problem';

/** What a check has found: one line. */
export interface Finding {
  /** What was looked at. */
  check: string;
  level: Level;
  message: string;
  /** What to do about it. */
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
