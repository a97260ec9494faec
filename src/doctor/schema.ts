import { migrations } from '../database/migrations';
import { readMigrations } from '../database/schema/tables';
import { type Snapshot } from '../database/snapshot/snapshot';
import { hasUnfinishedRestore } from '../database/migrating/unfinished-restore';
import { type Finding, ok, problem, warning } from './finding';

/** Checks whether the database has the schema of this version. */
export async function checkSchema(snapshot: Snapshot): Promise<{ findings: Finding[]; isCurrent: boolean }> {
  const findings: Finding[] = [];
  if (!snapshot.isEmbedded && (await hasUnfinishedRestore(snapshot))) {
    const advice = 'Wait for it, or run pms restore again.';
    findings.push(problem('restore', 'A restore into this database has not finished.', advice));
  }
  const applied = await readMigrations(snapshot, snapshot.isEmbedded);
  const known = migrations.map((migration) => migration.name);
  const missing = known.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const advice = 'Use that version or a later one, or restore a backup from before the upgrade.';
    findings.push(problem('schema', `A newer version has migrated it: ${unknown.join(', ')}.`, advice));
  } else if (missing.length > 0) {
    findings.push(
      warning('schema', `Migrations to run: ${missing.join(', ')}.`, 'The next start runs them.'),
    );
  } else {
    findings.push(ok('schema', `Migrated up to ${known.at(-1)}.`));
  }
  return { findings, isCurrent: unknown.length === 0 && missing.length === 0 };
}
