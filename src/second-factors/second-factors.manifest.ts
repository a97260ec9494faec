import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { Passkey } from './entities/passkey.entity';
import { RecoveryCode } from './entities/recovery-code.entity';
import { Totp } from './entities/totp.entity';
import { UsedChallenge } from './entities/used-challenge.entity';

export const secondFactorsManifest = {
  disposable: [Totp, RecoveryCode, Passkey, UsedChallenge],
  pathParameters: { passkeyId: idParameter('passkey') },
} satisfies Manifest;
