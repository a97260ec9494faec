import { Global, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { GitUnavailableError } from './git-errors';
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
  private readonly logger = new Logger(GitModule.name);

  constructor(private readonly git: GitProgram) {}

  /** Logs the version of git, or what does not work without it, or without limits. */
  async report(): Promise<void> {
    try {
      this.logger.log(`Git ${await this.git.requireVersion()} serves the repositories`);
      if (!(await this.git.hasMemoryLimit()))
        this.logger.warn(
          'The memory of git cannot be limited on this machine (GIT_MEMORY): a small push can use gigabytes',
        );
    } catch (error) {
      if (!(error instanceof GitUnavailableError)) throw error;
      this.logger.warn(`${error.reason}: clones and pushes fail, and repositories have no contents`);
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.git.stopAll();
  }
}
