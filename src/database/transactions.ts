import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isRetryable } from './database-errors';

const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 10;

/** Runs a use case's writes as one transaction. */
@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs `work` in a transaction and commits it; any error rolls all of it back. A deadlock or a lock wait timeout runs
   * the whole of `work` again, so it must do nothing but talk to the database through the given manager.
   */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction(work);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
        await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
      }
    }
  }
}
