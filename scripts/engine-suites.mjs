// Chooses the suites that run on MySQL and on Galera, and checks that they send every clause of every statement that all suites send.
//
//   node scripts/engine-suites.mjs check RECORD     fails with each clause that only other suites send
//   node scripts/engine-suites.mjs choose RECORD    writes the list of suites that it finds to take the shortest time
//
// A record is made by a run of all suites on a server: TEST_ENGINE_RECORD=RECORD TEST_DATABASE_URL=… npm test
import { readFileSync, writeFileSync } from 'node:fs';

const LIST = 'test/engine-suites.json';
/** Locks, retries, lost servers and clusters: what a statement's text does not show. */
const ALWAYS = /^test\/database\/(?!queries)|concurrency|leases/;
const SHOWN = 20;

/** Returns the clauses that each suite sends, and how many seconds it takes. */
function readRecord(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  return {
    suites: new Map(records.map(({ suite, clauses }) => [suite, new Set(clauses)])),
    seconds: new Map(records.map(({ suite, seconds }) => [suite, seconds])),
  };
}

/** Returns the clauses that none of the chosen suites sends, with a suite that does. */
function missing(suites, chosen) {
  const sent = new Set(chosen.flatMap((suite) => [...(suites.get(suite) ?? [])]));
  const others = [...suites].flatMap(([suite, clauses]) => [...clauses].map((clause) => [clause, suite]));
  return new Map(others.filter(([clause]) => !sent.has(clause)));
}

/** Takes the suite that adds the most in its time until nothing is missing, then drops those that the others make superfluous. */
function choose({ suites, seconds }) {
  const chosen = [...suites.keys()].filter((suite) => ALWAYS.test(suite));
  for (let left = missing(suites, chosen); left.size > 0; left = missing(suites, chosen)) {
    const gain = ([suite, clauses]) =>
      [...clauses].filter((clause) => left.has(clause)).length / seconds.get(suite);
    chosen.push([...suites].reduce((best, suite) => (gain(suite) > gain(best) ? suite : best))[0]);
  }
  const longFirst = chosen.toSorted((one, other) => seconds.get(other) - seconds.get(one));
  const needed = new Set(chosen);
  for (const suite of longFirst.filter((candidate) => !ALWAYS.test(candidate))) {
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
  const problems = [...missing(suites, listed)].map(([clause, suite]) => `${suite} alone sends: ${clause}`);
  for (const suite of suites.keys()) {
    if (ALWAYS.test(suite) && !listed.includes(suite)) problems.push(`${suite} is not listed.`);
  }
  for (const suite of listed) if (!suites.has(suite)) problems.push(`${suite} has no record.`);
  if (problems.length > 0) {
    console.error(problems.slice(0, SHOWN).join('\n'));
    console.error(
      `${LIST} is out of date: ${problems.length} problems. See "Suites for MySQL and Galera" in CONTRIBUTING.md.`,
    );
    process.exitCode = 1;
  } else {
    console.log(`${listed.length} of ${suites.size} suites send everything that all of them send.`);
  }
}
