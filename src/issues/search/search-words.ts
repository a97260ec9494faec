import { InvalidRequestError } from '../../errors/domain-errors';
import { MAX_WORDS } from '../dto/issue-queries.dto';

/**
 * The different words that a parameter asks for. Each is searched for in every text, so their number is limited.
 * @throws InvalidRequestError naming the parameter when there are too many
 */
export function wordsOf(parameter: string, keyword = ''): string[] {
  const words = new Set(keyword.split(/\s+/u).filter((word) => word !== ''));
  if (words.size > MAX_WORDS) {
    throw InvalidRequestError.of(parameter, `${parameter} must have at most ${MAX_WORDS} different words.`);
  }
  return [...words];
}
