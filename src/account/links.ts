import { type Request } from 'express';
import { NoResourceError } from '../errors/domain-errors';
import { type AddressLimitsService } from '../limits/address-limits.service';
import { isToken } from '../users/token';

/**
 * Finds what the token of a link stands for. Whoever has the link may open it; wrong ones count as wrong keys.
 * @throws NoResourceError for a link that does not work, TooManyRequestsError after too many of these
 */
export async function findByLink<Found>(
  addresses: AddressLimitsService,
  request: Request,
  token: string,
  find: (token: string) => Promise<Found>,
): Promise<Found> {
  const found = await addresses.lookUp(request, async () =>
    isToken(token) ? unlessMissing(find(token)) : undefined,
  );
  if (found === undefined) throw new NoResourceError('link');
  return found;
}

async function unlessMissing<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof NoResourceError) return undefined;
    throw error;
  }
}
