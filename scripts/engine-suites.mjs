// Chooses the suites that run on MySQL and on Galera, and checks that they send every clause of every statement that all suites send.
//
//   node scripts/engine-suites.mjs check RECORD     fails with each clause that only other suites send
//   node scripts/engine-suites.mjs choose RECORD    writes the smallest list of suites that it finds
//
// A record is made by a run of all suites on a server: TEST_ENGINE_RECORD=RECORD TEST_DATABASE_URL=… npm test
import { readFileSync, writeFileSync } from 'node:fs';

const LIST = 'test/engine-suites.json';
/** Locks, retries, lost servers and clusters: what a statement's text does not show. */
const ALWAYS = /^test\/database\/|concurrency|leases/;
/** Suites that take long; another suite that sends the same is preferred. */
const LONG = /\/(access|fuzz|queries)\.e2e-spec\.ts$/;
const SHOWN = 20;

function readRecord(file) {
  const suites = new Map();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { suite, clauses } = JSON.parse(line);
    suites.set(suite, new Set([...(suites.get(suite) ?? []), ...clauses]));
  }
  return suites;
}

/** Returns the clauses that none of the chosen suites sends, with a suite that does. */
function missing(suites, chosen) {
  const sent = new Set(chosen.flatMap((suite) => [...(suites.get(suite) ?? [])]));
  const others = [...suites].flatMap(([suite, clauses]) => [...clauses].map((clause) => [clause, suite]));
  return new Map(others.filter(([clause]) => !sent.has(clause)));
}

/** Takes the suite that adds the most until nothing is missing, then drops those that the later ones made superfluous. */
function choose(suites) {
  const chosen = [...suites.keys()].filter((suite) => ALWAYS.test(suite) && !LONG.test(suite));
  for (let left = missing(suites, chosen); left.size > 0; left = missing(suites, chosen)) {
    const gain = ([suite, clauses]) =>
      [...clauses].filter((clause) => left.has(clause)).length / (LONG.test(suite) ? 100 : 1);
    chosen.push([...suites].reduce((best, suite) => (gain(suite) > gain(best) ? suite : best))[0]);
  }
  const needed = chosen.filter((suite, index) => {
    if (ALWAYS.test(suite)) return true;
    const others = chosen.filter((other, at) => at !== index && chosen[at] !== undefined);
    if (missing(suites, others).size > 0) return true;
    chosen[index] = undefined;
    return false;
  });
  return needed.sort();
}

const [, , command, file] = process.argv;
const suites = readRecord(file);
if (command === 'choose') {
  writeFileSync(LIST, `${JSON.stringify(choose(suites), null, 2)}\n`);
} else {
  const listed = JSON.parse(readFileSync(LIST, 'utf8'));
  const problems = [...missing(suites, listed)].map(([clause, suite]) => `${suite} alone sends: ${clause}`);
  for (const suite of suites.keys()) {
    if (ALWAYS.test(suite) && !LONG.test(suite) && !listed.includes(suite))
      problems.push(`${suite} is not listed.`);
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
