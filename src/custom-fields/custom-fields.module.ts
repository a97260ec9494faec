import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { CustomFieldReaderService } from './custom-field-reader.service';
import { CustomFieldSettingsListener } from './custom-field-settings.listener';
import { CustomFieldItemLoader, CustomFieldLoader } from './custom-field.loader';
import { CustomFieldsController } from './custom-fields.controller';
import { CustomFieldsService } from './custom-fields.service';
import { CustomFieldIssueTypeRepository } from './data/custom-field-issue-type.repository';
import { CustomFieldItemRepository } from './data/custom-field-item.repository';
import { CustomFieldRepository } from './data/custom-field.repository';

/** Module of the custom fields that projects define; their values are stored by `issues`. */
@Module({
  imports: [AuditLogModule, ProjectsModule, ProjectSettingsModule, UsersModule],
  controllers: [CustomFieldsController],
  providers: [
    CustomFieldsService,
    CustomFieldReaderService,
    CustomFieldSettingsListener,
    CustomFieldLoader,
    CustomFieldItemLoader,
    CustomFieldRepository,
    CustomFieldItemRepository,
    CustomFieldIssueTypeRepository,
  ],
  exports: [CustomFieldsService, CustomFieldReaderService],
})
export class CustomFieldsModule {}
