import { type DynamicModule, type Type } from '@nestjs/common';
import { AttachmentsModule } from '../../attachments/attachments.module';
import { GitRepositoriesModule } from '../../git-repositories/git-repositories.module';
import { ProjectsModule } from '../../projects/projects.module';
import { TeamsModule } from '../../teams/teams.module';

/** The modules whose services repair faults. */
export const REPAIR_MODULES = (): (Type | DynamicModule)[] => [
  ProjectsModule,
  TeamsModule,
  AttachmentsModule,
  GitRepositoriesModule,
];
