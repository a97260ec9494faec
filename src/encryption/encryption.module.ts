import { type DynamicModule, Global, Module } from '@nestjs/common';
import { EncryptionService } from './encryption.service';

/** Encryption of secrets at rest. */
@Global()
@Module({})
export class EncryptionModule {
  /** @param keys read before the application is built, so that a missing key is reported in one line */
  static forRoot(keys: readonly Buffer[]): DynamicModule {
    return {
      module: EncryptionModule,
      providers: [{ provide: EncryptionService, useValue: new EncryptionService(keys) }],
      exports: [EncryptionService],
    };
  }
}
