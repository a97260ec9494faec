import { type Response } from 'express';

const plainTextResponses = new WeakSet<Response>();

/** Marks a response so that an error is sent as plain text: git displays nothing else to its user. */
export function answerErrorsAsText(response: Response): void {
  plainTextResponses.add(response);
}

/** Whether an error is sent as plain text. */
export const answersErrorsAsText = (response: Response): boolean => plainTextResponses.has(response);
