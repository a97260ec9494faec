import { readEnvironment } from '../../src/config/environment';
import { type Idiom } from './idioms';
import { createVariant } from './variants';

/** Serves the application with the idioms of `EDGE_IDIOMS` restored. */
async function serve(): Promise<void> {
  const environment = readEnvironment();
  const idioms = (process.env.EDGE_IDIOMS ?? '').split(',').filter((name) => name !== '') as Idiom[];
  const app = await createVariant(environment, new Set(idioms));
  process.once('SIGTERM', () => void app.close().then(() => process.exit()));
  await app.listen(environment.PORT, environment.HOST);
}

serve().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
