import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../../scripts/engines/galera.sh');

/** Only root runs servers as another user. */
const isRoot = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0;

describe.runIf(isRoot)('a database server script run by root', () => {
  let outer: string;
  let temporary: string;

  beforeEach(async () => {
    // The folder for temporary files of the tests can only be reached by their own user.
    outer = await realpath(await mkdtemp('/tmp/project-management-engines-'));
    temporary = join(outer, 'tmp');
    await mkdir(temporary, { mode: 0o755 });
  });
  afterEach(() => rm(outer, { recursive: true, force: true }));

  const stop = (
    settings: Record<string, string>,
  ): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const env = { PATH: process.env.PATH, ...settings };
      execFile('bash', [SCRIPT, 'stop'], { env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
    });

  it('reports in one line that the servers cannot reach their folder', async () => {
    await chmod(outer, 0o700);
    const folder = join(temporary, 'project-management-engines/galera/tmp');
    expect(await stop({ TMPDIR: temporary })).toEqual({
      code: 1,
      stdout: '',
      stderr: `galera.sh: The user nobody cannot reach ${folder}; ENGINES_DIR names another folder.\n`,
    });
  });

  it('reports in one line that its folder cannot be created', async () => {
    expect(await stop({ TMPDIR: '/etc/passwd' })).toMatchObject({
      code: 1,
      stderr:
        'galera.sh: Cannot create /etc/passwd/project-management-engines; ENGINES_DIR names another folder.\n',
    });
  });

  it('creates a temporary folder that the user of the servers can write to', async () => {
    await chmod(outer, 0o755);
    expect(await stop({ TMPDIR: temporary })).toEqual({ code: 0, stdout: 'It does not run.\n', stderr: '' });
    const made = join(temporary, 'project-management-engines/galera/tmp');
    expect(spawnSync('setpriv', ['--reuid=nobody', '--clear-groups', 'test', '-w', made]).status).toBe(0);
  });
});
