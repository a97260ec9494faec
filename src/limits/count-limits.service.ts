import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { ResourceOverflowError } from '../errors/domain-errors';
import { countLimitMessage, type CountLimitName, countLimitOf } from './count-limits';

/** The limits on numbers of things, as the settings have them. A limit that is lowered takes nothing away. */
@Injectable()
export class CountLimitsService {
  constructor(private readonly environment: Environment) {}

  /** How many there can be at most; 0 = no limit. */
  of(name: CountLimitName): number {
    return countLimitOf(name, this.environment);
  }

  /**
   * Makes sure that there may be so many.
   * @param count with those to be added
   * @throws ResourceOverflowError
   */
  require(name: CountLimitName, count: number): void {
    const limit = this.of(name);
    if (limit > 0 && count > limit) throw this.overflow(name);
  }

  /** The error of whoever would exceed a limit. */
  overflow(name: CountLimitName): ResourceOverflowError {
    return new ResourceOverflowError(countLimitMessage(name, this.environment));
  }
}
