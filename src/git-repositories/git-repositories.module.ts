import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { GitRepositoriesController } from './git-repositories.controller';
import { GitRepositoriesService } from './git-repositories.service';
import { GitRepositoryRemovalService } from './git-repository-removal.service';
import { GitRepositoryResolver } from './git-repository.resolver';

/** Git repositories, which pull requests belong to. */
@Module({
  imports: [ProjectsModule, UsersModule, ActivitiesModule],
  controllers: [GitRepositoriesController],
  providers: [GitRepositoriesService, GitRepositoryRemovalService, GitRepositoryResolver],
  exports: [GitRepositoriesService, GitRepositoryRemovalService, GitRepositoryResolver],
})
export class GitRepositoriesModule {}
