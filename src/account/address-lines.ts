import { InvalidRequestError } from '../errors/domain-errors';
import { isMailAddress } from '../users/dto/user-fields';

/** Lines of a form are not mail addresses. */
export class WrongLinesError extends InvalidRequestError {
  constructor(readonly lines: readonly string[]) {
    super([{ message: 'mailAddresses must have one mail address per line.', moreInfo: 'mailAddresses' }]);
  }
}

/**
 * Returns the mail addresses of a text with one per line; empty lines are ignored.
 * @throws WrongLinesError
 */
export function addressesIn(text: string): string[] {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wrong = lines.filter((line) => !isMailAddress(line));
  if (wrong.length > 0) throw new WrongLinesError(wrong);
  return lines;
}
