/** None of the servers in `DATABASE_URL` accepts writes, which a failover may change. */
export class NoWritableServerError extends Error {
  readonly code = 'NO_WRITABLE_SERVER';

  /** @param reason what is wrong with each server: `a:3306 is read-only, b:3306 has failed (…)` */
  constructor(reason: string) {
    super(`No database server accepts writes: ${reason}.`);
  }
}
