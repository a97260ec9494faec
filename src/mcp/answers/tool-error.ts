import { type OutgoingHttpHeaders } from 'node:http';
import { type ErrorBody } from '../../errors/error-response';

/** What a client can do about an answer with a status. */
const NEXT_STEPS: Readonly<Record<number, string>> = {
  401: 'The API key has expired or has been revoked.',
  403: 'Another key, or the rights of another user, are needed for this.',
  404: 'Check the id or key; get_project_list and get_issues show what you can see.',
  409: 'Read the current state, and try again.',
  413: 'Send a smaller file or text.',
};

/** A tool call that failed for a reason that its client can act on; the message says what is wrong and what to do next. */
export class ToolError extends Error {
  /** @param status of the answer of an operation */
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }

  /** Returns the error for the answer of an operation, which names all invalid fields and their valid values. */
  static ofAnswer(status: number, headers: Readonly<OutgoingHttpHeaders>, content: Buffer): ToolError {
    const reasons = reasonsIn(content);
    const wait = headers['retry-after'];
    const next = wait === undefined ? NEXT_STEPS[status] : `Try again in ${wait} seconds.`;
    return new ToolError([`${status}: ${reasons.join(' ')}`, next].filter(Boolean).join(' '), status);
  }
}

function reasonsIn(content: Buffer): string[] {
  try {
    const { errors } = JSON.parse(content.toString('utf8')) as ErrorBody;
    return errors.map(({ message, moreInfo }) =>
      moreInfo === '' || message.includes(moreInfo) ? message : `${moreInfo}: ${message}`,
    );
  } catch {
    return [content.toString('utf8').slice(0, 500)];
  }
}

/** The statuses of what the caller may not see, does not exist, or needs git where there is none. */
const UNAVAILABLE: readonly (number | undefined)[] = [400, 403, 404, 503];

/**
 * Returns nothing in place of an optional part of an answer.
 * @throws the error unless it says that the part is unavailable
 */
export function nothingIfUnavailable(error: unknown): undefined {
  if (error instanceof ToolError && UNAVAILABLE.includes(error.status)) return undefined;
  throw error;
}
