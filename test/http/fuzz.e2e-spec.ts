import { chooseSeed, fuzz } from '../support/fuzz/fuzz';
import { FUZZ_BRANCHES, FUZZ_ENVIRONMENT, FUZZ_FILE } from '../support/fuzz/population';
import { describeWithGit, WITH_GIT } from '../support/git';
import { importCommits } from '../support/git-history';
import { OPERATIONS } from '../support/operations';
import { useWorld } from '../support/world';

/** As many as run in a few seconds; `npm run fuzz` sends more, to a separate process. */
const REQUESTS = 300;

describe('the service under random requests from the OpenAPI document', () => {
  const tested = useWorld(FUZZ_ENVIRONMENT);

  it('answers as documented and never with 5xx', async () => {
    const { baseUrl, adminKey } = tested.world.server;
    const statuses = await fuzz({ baseUrl, adminKey }, chooseSeed(), REQUESTS);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
    expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 20);
  });
});

describeWithGit('the service under random git requests from the OpenAPI document', () => {
  const tested = useWorld({ ...FUZZ_ENVIRONMENT, ...WITH_GIT });

  it('answers as documented and never with 5xx', async () => {
    const { world } = tested;
    const { baseUrl, adminKey } = world.server;
    const fill = async (repositoryId: number): Promise<string> => {
      const [first = ''] = await importCommits(
        world,
        repositoryId,
        FUZZ_BRANCHES.map((name, index) => ({
          ref: `refs/heads/${name}`,
          parents: index === 0 ? [] : [':1'],
          files: [{ path: FUZZ_FILE, content: `${name}\n` }],
        })),
      );
      return first;
    };
    const statuses = await fuzz(
      { baseUrl, adminKey, fill },
      chooseSeed(),
      REQUESTS / 2,
      ({ operation }) => OPERATIONS[operation.operationId ?? '']?.withGit === true,
    );
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 40);
    expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 40);
  });
});
