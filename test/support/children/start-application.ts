import { randomBytes } from 'node:crypto';
import { createApplication } from '../../../src/app.setup';
import { readEnvironment } from '../../../src/config/environment';
import { explainStartFailure } from '../../../src/start-failure';

/** Builds the application on one database after another and, where that fails, prints the messages that an operator would see. */
async function startApplication(databaseUrl: string): Promise<void> {
  const environment = readEnvironment({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });
  const app = await createApplication(environment);
  await app.close();
}

async function startEach(databaseUrls: readonly string[]): Promise<void> {
  for (const url of databaseUrls) {
    await startApplication(url).catch((error: unknown) => {
      process.stdout.write(`${explainStartFailure(error).join('\n')}\n`);
    });
  }
}

void startEach(process.argv.slice(2));
