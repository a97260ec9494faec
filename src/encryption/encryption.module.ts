import { Module } from '@nestjs/common';
import { Environment } from '../config/environment';
import { encryptionKeys } from './encryption-keys';
import { EncryptionService } from './encryption.service';

/** Encryption of secrets at rest. */
@Module({
  providers: [
    {
      provide: EncryptionService,
      inject: [Environment],
      useFactory: (environment: Environment) => new EncryptionService(encryptionKeys(environment)),
    },
  ],
  exports: [EncryptionService],
})
export class EncryptionModule {}
