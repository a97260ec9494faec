import { limitHeapGrowth } from './heap-growth';
import { serve } from './serve';
import { explainStartFailure } from './start-failure';

limitHeapGrowth();
serve().catch((error: unknown) => {
  for (const line of explainStartFailure(error)) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
});
