import { InvalidRequestError } from '../errors/domain-errors';

/** @throws InvalidRequestError when a pull request would merge a branch into itself */
export function requireTwoBranches({ base, branch }: { base: string; branch: string }): void {
  if (base === branch) throw InvalidRequestError.of('branch', 'branch must be different from base.');
}
