import { type Manifest } from '../manifest';
import { RecoveryCode } from './entities/recovery-code.entity';
import { Totp } from './entities/totp.entity';

export const secondFactorsManifest = { disposable: [Totp, RecoveryCode] } satisfies Manifest;
