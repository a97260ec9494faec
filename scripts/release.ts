import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Command } from 'commander';
import { gt, valid } from 'semver';
import { type BillOfMaterials, describePackage, licenceLines } from './release/bill-of-materials';
import { releaseChangelog, replaceVersion } from './release/changelog';

/** npm lists every file of a package. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The folder of the documents whose commands name the file of the package. */
const DOCUMENTS = 'docs';

interface Release {
  version: string;
  /** In the form 2026-11-22. */
  date: string;
}

function run(folder: string, command: string, ...parameters: string[]): string {
  return execFileSync(command, parameters, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

const git = (...parameters: string[]): string => run('.', 'git', ...parameters);
const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

const versionIn = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

/** The commit on which `.ci/full` passed last. */
const CHECKED = 'refs/checks/full';

/** @throws Error when there is a reason not to release */
function check(version: string, dryRun: boolean): void {
  const current = versionIn('.');
  if (valid(version) !== version) throw new Error(`${version} is not a version such as 1.2.3.`);
  if (!gt(version, current)) throw new Error(`${version} is not later than ${current}.`);
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`The tag v${version} exists already.`);
  if (git('status', '--porcelain') !== '') throw new Error('There are changes that are not committed.');
  if (git('branch', '--show-current') === '') throw new Error('No branch is checked out.');
  if (!dryRun && git('for-each-ref', '--format=%(objectname)', CHECKED) !== git('rev-parse', 'HEAD')) {
    throw new Error('.ci/full has not passed on this commit.');
  }
}

/** Sets the version in every file that has it. */
function setVersion(tree: string, { version, date }: Release): void {
  const change = (path: string, edit: (text: string) => string): void => {
    writeFileSync(join(tree, path), edit(readFileSync(join(tree, path), 'utf8')));
  };
  const current = versionIn(tree);
  run(tree, 'npm', 'version', version, '--no-git-tag-version', '--ignore-scripts');
  change('CHANGELOG.md', (text) => releaseChangelog(text, version, date));
  for (const name of readdirSync(join(tree, DOCUMENTS)).filter((each) => each.endsWith('.md'))) {
    change(join(DOCUMENTS, name), (text) => replaceVersion(text, current, version));
  }
}

/** Writes the package, and files that describe it, into an empty folder. */
function buildFiles(tree: string, folder: string, { version, date }: Release): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(tree, process.execPath, 'scripts/package.mjs', folder);
  const name = `project-management-service-${version}`;
  const tarball = join(folder, `${name}.tgz`);
  const bill = describePackage(listComponents(tarball), { digest: sha256(tarball), date });
  writeFileSync(join(folder, `${name}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`);
  writeFileSync(join(folder, `${name}.licenses.txt`), `${licenceLines(bill).join('\n')}\n`);
  const files = ['tgz', 'cdx.json', 'licenses.txt'].map((extension) => join(folder, `${name}.${extension}`));
  const sums = files.map((path) => `${sha256(path)}  ${basename(path)}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}

/** What a package really contains, found in its files. */
function listComponents(tarball: string): BillOfMaterials {
  const folder = mkdtempSync(join(tmpdir(), 'pms-sbom-'));
  try {
    run(folder, 'tar', '-xzf', tarball);
    // npm takes the name of the folder for that of the package.
    const unpacked = join(folder, 'project-management-service');
    run(folder, 'mv', 'package', unpacked);
    const text = run(unpacked, 'npm', 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application');
    return JSON.parse(text) as BillOfMaterials;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Does everything in a checkout of its own, so that a failure leaves nothing behind. */
function release(version: string, { output, dryRun }: { output: string; dryRun?: true }): void {
  check(version, dryRun === true);
  const details = { version, date: new Date().toISOString().slice(0, 10) };
  const folder = resolve(output, version);
  const tree = join(mkdtempSync(join(tmpdir(), 'pms-release-')), 'tree');
  try {
    git('worktree', 'add', '--quiet', '--detach', tree, 'HEAD');
    run(tree, 'npm', 'ci', '--no-audit', '--no-fund');
    setVersion(tree, details);
    buildFiles(tree, folder, details);
    if (dryRun) {
      console.log(run(tree, 'git', 'diff', '--stat'));
    } else {
      run(tree, 'git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
      git('merge', '--quiet', '--ff-only', run(tree, 'git', 'rev-parse', 'HEAD'));
      git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
    }
  } finally {
    if (existsSync(tree)) git('worktree', 'remove', '--force', tree);
    rmSync(join(tree, '..'), { recursive: true, force: true });
  }
  console.log(`${folder}:\n${readFileSync(join(folder, 'SHA256SUMS'), 'utf8')}`);
  console.log(
    dryRun
      ? 'A dry run: nothing was committed or tagged.'
      : `Committed and tagged v${version}. CONTRIBUTING.md says how to publish it.`,
  );
}

new Command('release')
  .description('Makes a release: sets the version, builds the package, commits and tags.')
  .argument('<version>', 'the new version, such as 1.2.3')
  .option('--output <folder>', 'where the files are written, in a folder of the version', 'release')
  .option('--dry-run', 'build the files, and show what would be committed')
  .action((version: string, options: { output: string; dryRun?: true }) => {
    try {
      release(version, options);
    } catch (error) {
      console.error((error as Error).message);
      process.exitCode = 1;
    }
  })
  .parse();
