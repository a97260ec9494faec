import { parentPort } from 'node:worker_threads';
import { convertMarkdown, type EditorText } from './markdown';

/** A text to convert, and the maximum length of its JSON. */
export interface MarkdownRequest {
  markdown: string;
  maxLength: number;
}

/** The converted text; undefined when its JSON would be too long. */
export type MarkdownAnswer = EditorText | undefined;

parentPort?.on('message', ({ markdown, maxLength }: MarkdownRequest) =>
  parentPort?.postMessage(convertMarkdown(markdown, maxLength) satisfies MarkdownAnswer),
);
