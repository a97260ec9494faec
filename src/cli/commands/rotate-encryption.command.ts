import { readSettings } from '../../config/environment';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { encryptionKeys, generateEncryptionKey } from '../../encryption/encryption-keys';
import { EncryptionService } from '../../encryption/encryption.service';
import { reencryptAllSecrets } from '../../stored-secrets';
import { describeReplaced } from '../../webhooks/secrets/stored-secrets';
import { type CommandFile } from '../command';
import { withCurrentDatabase } from '../database';
import { note, print, printJson } from '../output';
import { Progress } from '../progress';

interface Options {
  generate?: true;
  json?: true;
}

export const configure: CommandFile['configure'] = (command) => {
  command
    .option('--generate', 'only print a new key; nothing is changed')
    .option('--json', 'print JSON')
    .action((options: Options) => (options.generate ? print(generateEncryptionKey()) : rotate(options)));
};

function rotate({ json }: Options): Promise<void> {
  const settings = readSettings();
  const { keys, place } = encryptionKeys(settings);
  const encryption = new EncryptionService(keys);
  return withCurrentDatabase(settings, 'writes', async (dataSource) => {
    const progress = new Progress('Encrypting webhooks');
    const secrets = await reencryptAllSecrets(dataSource, new TransactionsService(dataSource), encryption, {
      place,
      isLostReplaced: settings.REPLACE_LOST_SECRETS,
      onProgress: (done, total) => progress.update(done, total),
    }).finally(() => progress.end());
    const { reencrypted, replaced, replacedOf, apps, providers } = secrets;
    const key = encryption.currentKeyId;
    if (json) printJson({ key, reencrypted, replaced, replacedOf, apps, providers });
    else {
      const all = reencrypted + apps.reencrypted + providers.reencrypted;
      print(`Secrets re-encrypted with the key ${key}: ${all}`);
    }
    if (apps.lost > 0) {
      note(
        `Secrets of authenticator apps discarded because their keys are lost: ${apps.lost}. Their users need recovery codes.`,
      );
    }
    if (providers.lost > 0) {
      note(
        `Client secrets of identity providers discarded because their keys are lost: ${providers.lost}. Enter them again.`,
      );
    }
    if (replaced > 0)
      note(`Secrets discarded because their keys are lost: ${replaced}. Their webhooks get new ones.`);
    for (const names of describeReplaced(secrets)) note(`Webhooks with a new secret: ${names}.`);
    note(
      keys.length > 1
        ? `No secret uses the other keys of ${place} any more. Start the service with the first key only.`
        : `${place} has one key. To replace it, set ENCRYPTION_KEY=NEW,OLD; --generate prints a new one.`,
    );
  });
}
