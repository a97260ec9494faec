// Chooses the suites that run on MySQL and on Galera, and checks that they send every clause of every statement that all suites send,
// and take every path through the code of locks, retries, leases and connections. The nodes of Galera are MariaDB servers, which the whole
// suite runs on: of the clauses, theirs need only those that write or lock.
//
//   node scripts/engine-suites.mjs check RECORD     fails with each clause and path that only other suites contain
//   node scripts/engine-suites.mjs choose RECORD    writes the list of suites that it finds to take the shortest time
//
// A record is made by a run of all suites on a server: TEST_ENGINE_RECORD=RECORD TEST_DATABASE_URL=… npm test
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIST = 'test/engine-suites.json';
/** What neither clauses nor paths show: races, lost servers, and what only a cluster does. */
const ALWAYS =
  /^(?:src\/database\/(?:mysql\/|migrating\/migration-lease|sql\/statements|transactions\/)|test\/(?:database\/(?!queries)|.*(?:concurrency|leases))).*(?<!process)[.-]spec\.ts$/;
const SHOWN = 20;
const WRITING = /^(?!SELECT )|\b(?:FOR UPDATE|FOR SHARE|LOCK IN SHARE MODE)\b/;
/** Whether the suites of an engine must send a clause. */
const NEEDS = { mysql: () => true, galera: (clause) => WRITING.test(clause) };

const always = ['src', 'test']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
  .filter((file) => ALWAYS.test(file));

/** Returns the clauses and paths of each suite that an engine needs, and how many seconds the suite takes. */
function recordFor(engine, lines) {
  const parts = ({ clauses, paths }) => new Set([...clauses.filter(NEEDS[engine]), ...paths]);
  return {
    suites: new Map(lines.map((line) => [line.suite, parts(line)])),
    seconds: new Map(lines.map(({ suite, seconds }) => [suite, seconds])),
  };
}

/** Returns the clauses and paths that none of the chosen suites contains, with a suite that does. */
function missing(suites, chosen) {
  const covered = new Set(chosen.flatMap((suite) => [...(suites.get(suite) ?? [])]));
  const others = [...suites].flatMap(([suite, parts]) => [...parts].map((part) => [part, suite]));
  return new Map(others.filter(([part]) => !covered.has(part)));
}

/** Takes the suite that adds the most in its time until nothing is missing, then drops those that the others make superfluous. */
function choose({ suites, seconds }) {
  const chosen = [...always];
  for (let left = missing(suites, chosen); left.size > 0; left = missing(suites, chosen)) {
    const gain = ([suite, parts]) => [...parts].filter((part) => left.has(part)).length / seconds.get(suite);
    chosen.push([...suites].reduce((best, suite) => (gain(suite) > gain(best) ? suite : best))[0]);
  }
  const optional = chosen.filter((suite) => !always.includes(suite));
  const needed = new Set(chosen);
  for (const suite of optional.toSorted((one, other) => seconds.get(other) - seconds.get(one))) {
    needed.delete(suite);
    if (missing(suites, [...needed]).size > 0) needed.add(suite);
  }
  return [...needed].sort();
}

/** Returns what is wrong with the list of an engine. */
function problemsOf(engine, listed, { suites }) {
  return [
    ...[...missing(suites, listed)].map(([part, suite]) => `${engine}: ${suite} alone contains: ${part}`),
    ...always.filter((suite) => !listed.includes(suite)).map((suite) => `${engine}: ${suite} is not listed.`),
    ...listed
      .filter((suite) => !suites.has(suite) && !always.includes(suite))
      .map((suite) => `${engine}: ${suite} has no record.`),
  ];
}

const [, , command, file] = process.argv;
const lines = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  // The suites of the database's own code record no clauses. Others without any take the paths of the embedded database.
  .filter(({ suite, clauses }) => clauses.length > 0 || always.includes(suite));
const engines = Object.keys(NEEDS);
if (command === 'choose') {
  const lists = engines.map((engine) => [engine, choose(recordFor(engine, lines))]);
  writeFileSync(LIST, `${JSON.stringify(Object.fromEntries(lists), null, 2)}\n`);
} else {
  const lists = JSON.parse(readFileSync(LIST, 'utf8'));
  const problems = engines.flatMap((engine) => problemsOf(engine, lists[engine], recordFor(engine, lines)));
  if (problems.length > 0) {
    console.error(problems.slice(0, SHOWN).join('\n'));
    console.error(
      `${LIST} is out of date: ${problems.length} problems. See "Suites for MySQL and Galera" in CONTRIBUTING.md.`,
    );
    process.exitCode = 1;
  } else {
    const counts = engines.map((engine) => `${lists[engine].length} on ${engine}`).join(', ');
    console.log(`Of ${lines.length} suites, those that run contain every clause and every path: ${counts}.`);
  }
}
