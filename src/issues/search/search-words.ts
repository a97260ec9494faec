import { InvalidRequestError } from '../../errors/domain-errors';
import { MAX_WORDS } from '../dto/issue-queries.dto';

/**
 * Splits a parameter into distinct words. Their number is limited because each is searched for in every text.
 * @throws InvalidRequestError naming the parameter when there are too many
 */
export function wordsOf(parameter: string, keyword = ''): string[] {
  const words = new Set(keyword.split(/\s+/u).filter((word) => word !== ''));
  if (words.size > MAX_WORDS) {
    throw InvalidRequestError.of(parameter, `${parameter} must have at most ${MAX_WORDS} different words.`);
  }
  return [...words];
}
