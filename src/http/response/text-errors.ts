import { type Response } from 'express';

const asText = new WeakSet<Response>();

/** Marks a response so that an error is sent as plain text: git displays nothing else to its user. */
export function answerErrorsAsText(response: Response): void {
  asText.add(response);
}

/** Whether an error is sent as plain text. */
export const answersErrorsAsText = (response: Response): boolean => asText.has(response);
