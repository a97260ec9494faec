import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report } from './report';

describe('report', () => {
  it('writes the tables below the date, the command, the machine and the versions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'report-'));
    const file = join(folder, 'tables');
    const { argv } = process;
    process.argv = ['node', 'main.js', '--only=removal of', '--quick'];
    const print = vi.spyOn(console, 'log').mockReturnValue();
    try {
      await report('| a |\n', {
        script: 'bench:git',
        databases: ['sqlite'],
        serverUrl: undefined,
        programs: ['git 2.39.5'],
        file,
      });

      expect(print).toHaveBeenCalledWith('\n| a |\n');
      expect(readFileSync(file, 'utf8').split('\n')).toEqual([
        '# bench:git',
        '',
        expect.stringMatching(/^- Date: \d{4}-\d\d-\d\d$/),
        '- Command: `npm run bench:git -- "--only=removal of" --quick`',
        expect.stringMatching(/^- Machine: \d+ × .+, \d+ GiB of memory$/),
        `- Node.js: ${process.versions.node}`,
        expect.stringMatching(/^- Measured with: SQLite 3\.[\d.]+, git 2\.39\.5$/),
        '',
        '| a |',
        '',
      ]);
    } finally {
      process.argv = argv;
      print.mockRestore();
      rmSync(folder, { recursive: true });
    }
  });
});
