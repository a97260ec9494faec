import { Global, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { GitUnavailableError } from './git-errors';
import { GitHousekeeping } from './git-housekeeping';
import { GitProgram } from './git-program';
import { GitStore } from './git-store';

/** What is logged of the installed git. */
interface FoundGit {
  version: string;
  hasMemoryLimit: boolean;
}

/** The installed git, and the folders of the repositories that it works on. */
@Global()
@Module({
  providers: [GitProgram, GitStore, GitHousekeeping],
  exports: [GitProgram, GitStore, GitHousekeeping],
})
export class GitModule implements OnApplicationShutdown {
  private readonly logger = new Logger(GitModule.name);
  private found: Promise<FoundGit>;

  constructor(private readonly git: GitProgram) {}

  /** Begins to look for git, whose two processes run while the application starts. */
  begin(): void {
    this.found = this.find();
    // `report` throws it.
    this.found.catch(() => undefined);
  }

  /** Logs the version of git, or what does not work without it, or without limits, once `begin` has found it. */
  async report(): Promise<void> {
    try {
      const { version, hasMemoryLimit } = await this.found;
      this.logger.log(`Git ${version} serves the repositories`);
      if (!hasMemoryLimit)
        this.logger.warn(
          'The memory of git cannot be limited on this machine (GIT_MEMORY): a small push can use gigabytes',
        );
    } catch (error) {
      if (!(error instanceof GitUnavailableError)) throw error;
      this.logger.warn(`${error.reason}: clones and pushes fail, and repositories have no contents`);
    }
  }

  /** @throws GitUnavailableError with the reason why no git can be used */
  private async find(): Promise<FoundGit> {
    return { version: await this.git.requireVersion(), hasMemoryLimit: await this.git.hasMemoryLimit() };
  }

  onApplicationShutdown(): Promise<void> {
    return this.git.stopAll();
  }
}
