import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundWork } from './background-work';

/** Schedule of background work, and the log message for a failed run. */
export interface BackgroundOptions {
  intervalMs: number;
  /** A sentence for the log. */
  failure: string;
  /** Errors that are not logged, because they are reported elsewhere. */
  ignored?: (error: unknown) => boolean;
}

/** The background work of all modules. It starts once the application has started, and stops first when the application is closed. */
@Injectable()
export class BackgroundService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(BackgroundService.name);
  private readonly works: BackgroundWork[] = [];

  /**
   * Adds work that starts with the application.
   * @param name for the operator: a label of the metrics
   */
  add(
    name: string,
    work: () => Promise<unknown>,
    { intervalMs, failure, ignored }: BackgroundOptions,
  ): BackgroundWork {
    const added = new BackgroundWork(name, work, intervalMs, (error) => {
      if (!ignored?.(error)) this.logger.error({ err: error, work: name }, failure);
    });
    this.works.push(added);
    return added;
  }

  onApplicationBootstrap(): void {
    for (const work of this.works) work.begin();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.works.map((work) => work.stop()));
  }

  /** Resolves when no run is active, including runs started by other work. */
  async whenIdle(): Promise<void> {
    for (let busy = this.works; busy.length > 0; busy = this.works.filter(({ isIdle }) => !isIdle)) {
      await Promise.all(busy.map((work) => work.whenIdle()));
    }
  }
}
