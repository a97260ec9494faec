import { Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { Environment } from '../config/environment';
import { type CountedAs, RATE_CLASSES, type RateClass } from './rate-class';
import { type Allowance, RateLimit } from './rate-limit';
import { RedisRates } from './redis-rates';

const WINDOW_SECONDS = 60;

/** Limits the requests of each user per minute, in the classes of the family (`docs/decisions/0029-rate-limits.md`). */
@Injectable()
export class RequestRatesService {
  private readonly isOn: boolean;
  private readonly limits: Readonly<Record<RateClass, RateLimit>>;

  constructor(environment: Environment, redis: RedisRates) {
    this.isOn = environment.RATE_LIMIT;
    const limit = (name: RateClass, most: number): RateLimit =>
      new RateLimit(`${name}_rate`, most, WINDOW_SECONDS, redis.counter(name, most, WINDOW_SECONDS));
    this.limits = {
      read: limit('read', environment.RATE_LIMIT_READ),
      update: limit('update', environment.RATE_LIMIT_UPDATE),
      search: limit('search', environment.RATE_LIMIT_SEARCH),
      icon: limit('icon', environment.RATE_LIMIT_ICON),
    };
  }

  /**
   * Counts a request of a user, and sets the response headers with the remaining budget. An uncounted request gets the budget of
   * reads.
   * @throws TooManyRequestsError past the limit, in the class of the request
   */
  async count(userId: number, countedAs: CountedAs, response: Response): Promise<void> {
    if (!this.isOn) return;
    const allowance =
      countedAs === 'nothing'
        ? await this.limits.read.peek(String(userId))
        : await this.limits[countedAs].count(String(userId));
    response.setHeader('X-RateLimit-Limit', allowance.limit);
    response.setHeader('X-RateLimit-Remaining', allowance.remaining);
    response.setHeader('X-RateLimit-Reset', allowance.reset);
  }

  /** Returns the remaining budget of a user in each class; the full budget when the limits are off. */
  async peek(userId: number): Promise<Record<RateClass, Allowance>> {
    const entries = await Promise.all(
      RATE_CLASSES.map(async (name) => [name, await this.limits[name].peek(String(userId))] as const),
    );
    return Object.fromEntries(entries) as Record<RateClass, Allowance>;
  }
}
