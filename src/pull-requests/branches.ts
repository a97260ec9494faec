import { InvalidRequestError } from '../errors/domain-errors';

/** @throws InvalidRequestError when a pull request would merge a branch into itself */
export function requireTwoBranches({ base, branch }: { base: string; branch: string }): void {
  if (base === branch) throw InvalidRequestError.of('branch', 'branch must be different from base.');
}

/** @throws InvalidRequestError when the branches of a merged pull request would change */
export function requireKeptBranches(
  before: { base: string; branch: string },
  { base, branch }: { base: string; branch: string },
): void {
  if (base === before.base && branch === before.branch) return;
  const field = base !== before.base ? 'base' : 'branch';
  throw InvalidRequestError.of(field, 'A merged pull request keeps its branches.');
}
