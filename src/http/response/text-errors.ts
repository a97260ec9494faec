import { type Response } from 'express';

const asText = new WeakSet<Response>();

/** Has an error be answered as plain text: git shows its user nothing else. */
export function answerErrorsAsText(response: Response): void {
  asText.add(response);
}

/** Whether an error is answered as plain text. */
export const answersErrorsAsText = (response: Response): boolean => asText.has(response);
