import { Progress } from './progress';

describe('Progress', () => {
  let now: number;
  let written: string[];

  beforeEach(() => {
    now = 1000;
    written = [];
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => vi.restoreAllMocks());

  const start = (isTTY: boolean): Progress =>
    new Progress('Exporting', { isTTY, write: (text: string) => written.push(text) > 0 });

  it('shows nothing during the first second or without a terminal', () => {
    start(true).update(1, 2);
    const elsewhere = start(false);
    now += 5000;
    elsewhere.update(1, 2);
    elsewhere.end();
    expect(written).toEqual([]);
  });

  it('shows a bar after the first second and removes it at the end', () => {
    const progress = start(true);
    now += 1500;
    progress.update(1, 4);
    progress.update(2, 4);
    now += 200;
    progress.update(5, 4);
    progress.end();
    expect(written).toEqual([
      `\r\u001b[KExporting [${'#'.repeat(8)}${'.'.repeat(22)}] 25 % (1 of 4)`,
      `\r\u001b[KExporting [${'#'.repeat(30)}] 100 % (5 of 4)`,
      '\r\u001b[K',
    ]);
  });

  it('shows the rate and the time left on demand', () => {
    const terminal = { isTTY: true, write: (text: string) => written.push(text) > 0 };
    const progress = new Progress('Writing', terminal, true);
    now += 1500;
    progress.update(100, 1000);
    now += 2000;
    progress.update(300, 1000);
    now += 1000;
    progress.update(1000, 1000);
    expect(written.map((line) => line.split(')')[1])).toEqual(['', ', 100/s, 7 s left', ', 300/s']);
  });
});
