import { compare, type Measurement } from '../../support/load';
import { type Sizes } from '../../support/options';
import { type Server } from '../../support/processes';
import { bound, type BoundResult } from '../report';
import { listRequest } from '../../support/list-requests';
import { LARGE_PULL_REQUEST, SMALL_PULL_REQUEST } from '../../support/seed';

/** Maximum factor by which the list may slow down in a thread a hundred times as long. */
const TARGET = 1.15;

/** Scenario 4: the list's time does not grow with the thread. */
export async function measureScale(
  service: Server,
  middle: { smallMiddleId: number; largeMiddleId: number },
  sizes: Sizes,
): Promise<BoundResult[]> {
  const contender = (number: number, maxId?: number) => ({
    origin: service.origin,
    requests: [listRequest(number, maxId)],
  });
  const measured = await compare(
    {
      smallStart: contender(SMALL_PULL_REQUEST),
      largeStart: contender(LARGE_PULL_REQUEST),
      smallMiddle: contender(SMALL_PULL_REQUEST, middle.smallMiddleId),
      largeMiddle: contender(LARGE_PULL_REQUEST, middle.largeMiddleId),
    },
    { rounds: sizes.scaleRounds, seconds: sizes.scaleSeconds, warmUpSeconds: 1 },
  );
  const { smallStart, largeStart, smallMiddle, largeMiddle } = measured;
  const lengths = `${sizes.largeThread.toLocaleString('en')} comments in one pull request against ${sizes.smallThread.toLocaleString('en')}`;
  return [
    bound(`${lengths}, offset 0`, timeRatio(smallStart, largeStart), '× time', TARGET),
    bound(`${lengths}, maxId in the middle`, timeRatio(smallMiddle, largeMiddle), '× time', TARGET),
  ];
}

/** Returns the ratio of the times; infinite when a round ended without a single response. */
const timeRatio = (small: Measurement, large: Measurement): number =>
  large.requestsPerSecond > 0 ? small.requestsPerSecond / large.requestsPerSecond : Infinity;
