import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { ProjectSettingsController } from './project-settings.controller';
import { ProjectSettingsService } from './project-settings.service';

/** Issue types and statuses of projects: spec 4.5 and 4.6. */
@Module({
  imports: [ProjectsModule],
  controllers: [ProjectSettingsController],
  providers: [ProjectSettingsService],
  exports: [ProjectSettingsService],
})
export class ProjectSettingsModule {}
