// Chooses the suites that run on MySQL and on Galera, and checks that they send every clause of every statement that all suites send,
// and take every path through the code of locks, retries, leases and connections.
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

const always = ['src', 'test']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
  .filter((file) => ALWAYS.test(file));

/** Returns the clauses and paths of each suite, and how many seconds it takes. */
function readRecord(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  // A suite that sends nothing to the server takes the paths of the embedded database.
  const records = lines.map((line) => JSON.parse(line)).filter(({ clauses }) => clauses.length > 0);
  return {
    suites: new Map(records.map(({ suite, clauses, paths }) => [suite, new Set([...clauses, ...paths])])),
    seconds: new Map(records.map(({ suite, seconds }) => [suite, seconds])),
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

const [, , command, file] = process.argv;
const record = readRecord(file);
const { suites } = record;
if (command === 'choose') {
  writeFileSync(LIST, `${JSON.stringify(choose(record), null, 2)}\n`);
} else {
  const listed = JSON.parse(readFileSync(LIST, 'utf8'));
  const problems = [...missing(suites, listed)].map(([part, suite]) => `${suite} alone contains: ${part}`);
  for (const suite of always) if (!listed.includes(suite)) problems.push(`${suite} is not listed.`);
  for (const suite of listed) {
    if (!suites.has(suite) && !always.includes(suite)) problems.push(`${suite} has no record.`);
  }
  if (problems.length > 0) {
    console.error(problems.slice(0, SHOWN).join('\n'));
    console.error(
      `${LIST} is out of date: ${problems.length} problems. See "Suites for MySQL and Galera" in CONTRIBUTING.md.`,
    );
    process.exitCode = 1;
  } else {
    console.log(`${listed.length} of ${suites.size} suites contain every clause and every path.`);
  }
}
