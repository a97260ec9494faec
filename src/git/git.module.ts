import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { GitHousekeeping } from './git-housekeeping';
import { GitProgram } from './git-program';
import { GitStore } from './git-store';

/** The installed git, and the folders of the repositories that it works on. */
@Global()
@Module({
  providers: [GitProgram, GitStore, GitHousekeeping],
  exports: [GitProgram, GitStore, GitHousekeeping],
})
export class GitModule implements OnApplicationShutdown {
  constructor(private readonly git: GitProgram) {}

  onApplicationShutdown(): Promise<void> {
    return this.git.stopAll();
  }
}
