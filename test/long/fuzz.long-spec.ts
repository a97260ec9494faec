import { Child } from '../support/child';
import { createTestDatabase } from '../support/database';
import { chooseSeed, fuzz } from '../support/fuzz/fuzz';
import { FUZZ_ENVIRONMENT, type Target } from '../support/fuzz/population';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);

describe('a service under random requests made from the OpenAPI document', () => {
  it(`answers ${REQUESTS} requests as documented without ending its process`, async () => {
    const database = await createTestDatabase();
    const child = new Child('serve-address', database.url ?? '', JSON.stringify(FUZZ_ENVIRONMENT));
    try {
      const target = JSON.parse((await child.nextLine()) ?? '{}') as Target;
      // A process that has ended sends no responses; the cause is on its standard error.
      const statuses = await fuzz(target, chooseSeed(), REQUESTS);
      process.stdout.write(
        `${REQUESTS} requests: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}\n`,
      );
      child.go();
      expect(await child.restOfLines()).toEqual(['stopped']);
    } finally {
      await child.kill();
      await database.drop();
    }
  });
});
