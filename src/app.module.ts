import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { type Logger } from 'pino';
import { type DataSource } from 'typeorm';
import { AccessGuard } from './access/access.guard';
import { AccountModule } from './account/account.module';
import { BackgroundModule } from './background/background.module';
import { CommandSocketService } from './cli/socket/command-socket.service';
import { ConfigModule } from './config/config.module';
import { type Environment } from './config/environment';
import { DatabaseModule } from './database/database.module';
import { EncryptionModule } from './encryption/encryption.module';
import { FirstStartModule } from './first-start/first-start.module';
import { GitModule } from './git/git.module';
import { HealthModule } from './health/health.module';
import { ExceptionsFilter } from './exception.filter';
import { ResponseHeadersMiddleware } from './http/response/response-headers.middleware';
import { RequestDtoCheck } from './http/request/request-dto.check';
import { RequestDtoPipe } from './http/request/request-dto.pipe';
import { RequestReaderGuard } from './http/request/request-reader.guard';
import { LimitsModule } from './limits/limits.module';
import { MODULES } from './modules';
import { PagesModule } from './pages/pages.module';
import { RequestLogService } from './logging/request-log.service';
import { ViewPagesModule } from './view-pages/view-pages.module';

/** The root module; `docs/architecture.md` draws it. */
@Module({})
export class AppModule {
  /**
   * @param dataSource connected and migrated
   * @param optional modules enabled by the settings
   */
  static forRoot(
    environment: Environment,
    encryptionKeys: readonly Buffer[],
    dataSource: DataSource,
    logger: Logger,
    optional: Type[] = [],
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DiscoveryModule,
        ConfigModule.forRoot(environment),
        EncryptionModule.forRoot(encryptionKeys),
        LoggerModule.forRoot({ forRoutes: [], pinoHttp: { logger } }),
        DatabaseModule.forRoot(dataSource),
        BackgroundModule,
        LimitsModule,
        GitModule,
        ...MODULES,
        PagesModule,
        AccountModule,
        ViewPagesModule.forRoot(environment),
        HealthModule,
        FirstStartModule,
        ...optional,
      ],
      providers: [
        RequestDtoCheck,
        ResponseHeadersMiddleware,
        RequestLogService,
        CommandSocketService,
        // The order matters.
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: RequestReaderGuard },
        { provide: APP_PIPE, useClass: RequestDtoPipe },
        { provide: APP_FILTER, useClass: ExceptionsFilter },
      ],
    };
  }
}
