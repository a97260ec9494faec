import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { type Logger } from 'pino';
import { type DataSource } from 'typeorm';
import { AccessGuard } from './access/access.guard';
import { ActivitiesModule } from './activities/activities.module';
import { AttachmentsModule } from './attachments/attachments.module';
import { AuditLogModule } from './audit-log/audit-log.module';
import { BackgroundModule } from './background/background.module';
import { CommandSocketService } from './cli/socket/command-socket.service';
import { CommentsModule } from './comments/comments.module';
import { ConfigModule } from './config/config.module';
import { type Environment } from './config/environment';
import { CustomFieldsModule } from './custom-fields/custom-fields.module';
import { DatabaseModule } from './database/database.module';
import { EncryptionModule } from './encryption/encryption.module';
import { FirstStartModule } from './first-start/first-start.module';
import { GitRepositoriesModule } from './git-repositories/git-repositories.module';
import { GitModule } from './git/git.module';
import { HealthModule } from './health/health.module';
import { ExceptionsFilter } from './exception.filter';
import { ResponseHeadersMiddleware } from './http/response/response-headers.middleware';
import { RequestDtoCheck } from './http/request/request-dto.check';
import { RequestDtoPipe } from './http/request/request-dto.pipe';
import { RequestReaderGuard } from './http/request/request-reader.guard';
import { IconsModule } from './icons/icons.module';
import { IssuesModule } from './issues/issues.module';
import { LimitsModule } from './limits/limits.module';
import { RequestLogService } from './logging/request-log.service';
import { NotificationsModule } from './notifications/notifications.module';
import { ProjectMembersModule } from './project-members/project-members.module';
import { ProjectSettingsModule } from './project-settings/project-settings.module';
import { ProjectsModule } from './projects/projects.module';
import { PullRequestsModule } from './pull-requests/pull-requests.module';
import { SharedFilesModule } from './shared-files/shared-files.module';
import { StarsModule } from './stars/stars.module';
import { TeamsModule } from './teams/teams.module';
import { UsersModule } from './users/users.module';
import { WebhooksModule } from './webhooks/webhooks.module';
import { DocumentsModule } from './documents/documents.module';
import { WikisModule } from './wikis/wikis.module';

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
        AuditLogModule,
        UsersModule,
        ProjectsModule,
        GitRepositoriesModule,
        AttachmentsModule,
        IconsModule,
        CommentsModule,
        ActivitiesModule,
        PullRequestsModule,
        IssuesModule,
        ProjectMembersModule,
        TeamsModule,
        ProjectSettingsModule,
        CustomFieldsModule,
        DocumentsModule,
        WikisModule,
        SharedFilesModule,
        StarsModule,
        NotificationsModule,
        WebhooksModule,
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
