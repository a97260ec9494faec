import { join, relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The fewest suites that begin with each one that mostly waits. */
const FEWEST_BESIDE = 2;

/**
 * Suites that take much longer than others of their size, by which a new clone sorts them, or than in the run before, which left out
 * the browser.
 */
const LONG = [
  'clients/swagger-ui.e2e-spec.ts',
  'git/git-kills.process-spec.ts',
  'git/import.process-spec.ts',
  'imports/round-trips.process-spec.ts',
  'mail/mail-kills.process-spec.ts',
  'second-factors/passkey-pages.e2e-spec.ts',
  'sign-in/accessible-pages.e2e-spec.ts',
  'sign-in/account-pages.e2e-spec.ts',
  'sources/follow.process-spec.ts',
].map((name) => join('test', name));

/** Suites that take seconds in which they mostly wait: for timeouts, for connections that stay open, or for programs. */
const WAITING = [
  'scripts/build.spec.ts',
  'scripts/check-statements.spec.ts',
  'src/attachments/s3/s3-file-storage.spec.ts',
  'src/database/mysql/servers.spec.ts',
  'src/database/sqlite/shared-commits.spec.ts',
  'src/database/sqlite/sqlite-crash.spec.ts',
  'src/http/server/connections.spec.ts',
  'test/comments/large-answers.e2e-spec.ts',
  'test/database/database-outage.e2e-spec.ts',
  'test/http/connections.e2e-spec.ts',
  'test/http/request-streams.e2e-spec.ts',
  'test/http/tls.e2e-spec.ts',
  'test/mail/letters.e2e-spec.ts',
  'test/mail/pace.e2e-spec.ts',
  'test/mail/sending.e2e-spec.ts',
  'test/sources/http-spool.spec.ts',
];

/**
 * Runs unit tests last, and before them the suites that took longest first: one that starts late would run alone at the end. A new
 * clone knows no durations, and those of a run on SQLite say nothing about the suites of the database: on a server, they take longest, but
 * mostly wait. Suites that wait begin early, each beside others, which compute meanwhile.
 */
export class LongFirstSequencer extends BaseSequencer {
  override async sort(suites: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(suites);
    const sorted = [...bySize.filter(isLong), ...bySize.filter((suite) => !isLong(suite))];
    const waiting = [
      ...sorted.filter((suite) => isWaiting(suite) && !isUnit(suite)),
      ...sorted.filter((suite) => isWaiting(suite) && isUnit(suite)),
    ];
    const units = sorted.filter((suite) => isUnit(suite) && !isWaiting(suite));
    const others = sorted.filter((suite) => !isUnit(suite) && !isWaiting(suite));
    // One that begins in the second half could end last.
    const beside = Math.max(FEWEST_BESIDE, Math.floor(others.length / waiting.length / 2));
    const first = waiting.flatMap((suite) => [suite, ...others.splice(0, beside)]);
    return [...first, ...others, ...units];
  }
}

const pathOf = ({ moduleId, project }: TestSpecification): string => relative(project.config.root, moduleId);

const placeOf = (suite: TestSpecification): string[] => pathOf(suite).split(sep);

const isLong = (suite: TestSpecification): boolean => LONG.includes(pathOf(suite));

const isUnit = (suite: TestSpecification): boolean => ['src', 'bench'].includes(placeOf(suite)[0] ?? '');

const isWaiting = (suite: TestSpecification): boolean =>
  WAITING.includes(pathOf(suite)) ||
  (process.env.TEST_DATABASE_URL !== undefined && placeOf(suite)[1] === 'database');
