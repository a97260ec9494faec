import { compare, type LoadRequest } from '../../support/load';
import { type DatabaseName, type Sizes } from '../../support/options';
import { listRequests } from '../../support/list-requests';
import { addRequests } from '../add-requests';
import { type Server } from '../../support/processes';
import { type LimitResult } from '../report';
import { type Seeded } from '../../support/seed';
import { verifyReads } from '../../support/verify-reads';
import { type Pair, verifyWrites } from '../verify';

/** The share of the limit's requests per second that the service must reach. */
const TARGETS: Record<'list' | 'add', Record<DatabaseName, number>> = {
  list: { sqlite: 0.7, server: 0.75 },
  add: { sqlite: 1.2, server: 0.7 },
};
/** The same for a limit whose commits share syncs, as those of the service do. */
const GROUPING_TARGET = 0.7;

/** Scenario 1: list 20 comments of a pull request. */
export async function measureList(
  database: DatabaseName,
  pair: Pair,
  seeded: Seeded,
  sizes: Sizes,
): Promise<LimitResult> {
  const requests = listRequests(seeded);
  await verifyReads(pair.service, pair.limit, requests);
  return measure('list 20 pull request comments', TARGETS.list[database], pair, requests, sizes);
}

/**
 * Scenario 2: add an issue comment that notifies three members, with its activity.
 * @param grouping on the embedded database, a limit whose commits share syncs
 */
export async function measureAdd(
  database: DatabaseName,
  pair: Pair,
  grouping: Server | undefined,
  seeded: Seeded,
  sizes: Sizes,
  databaseUrl: string,
): Promise<LimitResult[]> {
  const requests = addRequests(seeded);
  for (const request of requests.slice(0, 3)) await verifyWrites(pair, databaseUrl, request);
  const scenario = 'add an issue comment, 3 notified';
  const results = [await measure(scenario, TARGETS.add[database], pair, requests, sizes)];
  if (grouping) {
    const groupingPair = { ...pair, limit: grouping };
    results.push(
      await measure(`${scenario}, limit shares syncs`, GROUPING_TARGET, groupingPair, requests, sizes),
    );
  }
  return results;
}

async function measure(
  scenario: string,
  target: number,
  { service, limit }: Pair,
  requests: readonly LoadRequest[],
  sizes: Sizes,
): Promise<LimitResult> {
  const measured = await compare(
    { service: { origin: service.origin, requests }, limit: { origin: limit.origin, requests } },
    { rounds: sizes.rounds, seconds: sizes.roundSeconds, warmUpSeconds: sizes.warmUpSeconds },
  );
  const ratio = measured.service.requestsPerSecond / measured.limit.requestsPerSecond;
  return { scenario, ...measured, ratio, target, reached: ratio >= target };
}
