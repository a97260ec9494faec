import { chooseSeed, fuzz } from '../support/fuzz/fuzz';
import { FUZZ_ENVIRONMENT } from '../support/fuzz/population';
import { useWorld } from '../support/world';

/** As many as take some seconds; `npm run fuzz` sends more, to a process of its own. */
const REQUESTS = 700;

describe('requests made from the document at random', () => {
  const tested = useWorld(FUZZ_ENVIRONMENT);

  it('are answered as it says, and never with 5xx', async () => {
    const { baseUrl, adminKey } = tested.world.server;
    const statuses = await fuzz({ baseUrl, adminKey }, chooseSeed(), REQUESTS);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
    expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 20);
  });
});
