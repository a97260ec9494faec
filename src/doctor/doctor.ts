import { type FileStorage } from '../attachments/file-storage';
import { type Environment } from '../config/environment';
import { openSnapshot } from '../database/snapshot/open-snapshot';
import { type Snapshot } from '../database/snapshot/snapshot';
import { explainStartFailure } from '../start-failure';
import { checkCertificate } from './certificate';
import { checkContents } from './contents';
import { checkEmbeddedDatabase } from './embedded-database';
import { checkFiles } from './files';
import { type Finding, problem } from './finding';
import { checkGit, checkRepositories } from './git';
import { checkLocalFolders } from './local-folders';
import { checkMail } from './mail';
import { checkRestores } from './restores';
import { checkSchema } from './schema';
import { checkSecrets } from './secrets';
import { checkServer } from './server';
import { checkSignIn } from './sign-in';
import { checkWebhooks } from './webhooks';

/**
 * Checks everything that the service needs, without changing anything. Can run alongside the service. Yields findings as soon as they are
 * known.
 */
export async function* examine(environment: Environment, storage: FileStorage): AsyncGenerator<Finding> {
  yield* checkLocalFolders(environment);
  yield* checkCertificate(environment);
  yield* checkGit(environment);
  let snapshot: Snapshot;
  try {
    snapshot = await openSnapshot(environment);
  } catch (error) {
    yield problem('database', explainStartFailure(error).join(' '), 'The other checks need the database.');
    return;
  }
  try {
    yield* snapshot.isEmbedded ? checkEmbeddedDatabase(snapshot) : checkServer(snapshot, environment);
    const { findings, isCurrent } = await checkSchema(snapshot);
    yield* findings;
    // The tables and columns belong to another version.
    if (!isCurrent) return;
    yield* checkRestores(environment);
    yield* checkContents(snapshot);
    yield* checkFiles(snapshot, storage);
    yield* checkRepositories(snapshot, environment);
    yield* checkSecrets(snapshot, environment);
    yield* checkSignIn(snapshot, environment);
    yield* checkWebhooks(snapshot);
    yield* checkMail(snapshot, environment);
  } finally {
    await snapshot.close();
  }
}
