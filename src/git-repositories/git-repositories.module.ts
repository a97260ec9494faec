import { Module } from '@nestjs/common';
import { GitRepositoriesService } from './git-repositories.service';

/** Git repositories, which pull requests belong to. */
@Module({ providers: [GitRepositoriesService], exports: [GitRepositoriesService] })
export class GitRepositoriesModule {}
