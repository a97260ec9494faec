import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Environment } from './environment';

/** Provides the settings, read and validated before the application is built. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(environment: Environment): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Environment, useValue: environment }],
      exports: [Environment],
    };
  }
}
