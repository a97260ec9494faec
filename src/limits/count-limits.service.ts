import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { ResourceOverflowError } from '../errors/domain-errors';
import { countLimitMessage, type CountLimitName, countLimitOf } from './count-limits';

/** The limits on numbers of entities, from the settings. Lowering a limit deletes nothing. */
@Injectable()
export class CountLimitsService {
  constructor(private readonly environment: Environment) {}

  /** Returns the maximum number of entities; 0 = no limit. */
  of(name: CountLimitName): number {
    return countLimitOf(name, this.environment);
  }

  /**
   * Checks a number of entities against its limit.
   * @param count including those to be added
   * @throws ResourceOverflowError
   */
  require(name: CountLimitName, count: number): void {
    const limit = this.of(name);
    if (limit > 0 && count > limit) throw this.overflow(name);
  }

  /** Returns the error for exceeding a limit. */
  overflow(name: CountLimitName): ResourceOverflowError {
    return new ResourceOverflowError(countLimitMessage(name, this.environment));
  }
}
