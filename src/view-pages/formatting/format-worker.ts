import { parentPort } from 'node:worker_threads';
import { formatTexts, type FormattingLimits, type SourceText } from './format-texts';

/** The texts of a page. */
export interface FormatRequest {
  texts: readonly SourceText[];
  limits: FormattingLimits;
}

/** Their HTML, in the same order. */
export type FormatAnswer = string[];

parentPort?.on('message', ({ texts, limits }: FormatRequest) =>
  parentPort?.postMessage(formatTexts(texts, limits) satisfies FormatAnswer),
);
