import { StandardOutput } from './standard-output';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

describe(StandardOutput.name, () => {
  let written: string;
  let error: Error | undefined;
  let most: number;
  const output = (): StandardOutput =>
    new StandardOutput((bytes) => {
      if (error) throw error;
      const sent = bytes.subarray(0, most);
      written += sent.toString();
      return sent.length;
    });

  beforeEach(() => {
    vi.useFakeTimers();
    written = '';
    error = undefined;
    most = Infinity;
  });
  afterEach(() => vi.useRealTimers());

  it('writes each line immediately and completely', () => {
    most = 3;
    const lines = output();
    lines.write('one line ✓\n');
    expect(written).toBe('one line ✓\n');
    lines.write('another\n');
    expect(written).toBe('one line ✓\nanother\n');
  });

  it('continues after a line that cannot be written', () => {
    const lines = output();
    error = failure('ENOSPC');
    lines.write('lost\n');
    error = undefined;
    lines.write('written\n');
    expect(written).toBe('written\n');
  });

  it('buffers at most 1 MiB of lines while a pipe is full', () => {
    const lines = output();
    error = failure('EAGAIN');
    lines.write('first\n');
    for (let line = 0; line < 3000; line++) lines.write(`${'x'.repeat(999)}\n`);
    expect(written).toBe('');
    error = undefined;
    vi.advanceTimersByTime(1000);
    expect(written).toMatch(/^first\nx/);
    expect(written.length).toBeGreaterThan(1_000_000);
    expect(written.length).toBeLessThanOrEqual(1024 * 1024);
    lines.write('last\n');
    expect(written).toMatch(/x\nlast\n$/);
  });

  it('retries buffered lines when the process exits', () => {
    const before = process.listeners('exit');
    const lines = output();
    error = failure('EAGAIN');
    lines.write('waiting\n');
    const [atExit] = process.listeners('exit').filter((listener) => !before.includes(listener));
    atExit?.(0);
    expect(written).toBe('');
    error = undefined;
    atExit?.(0);
    expect(written).toBe('waiting\n');
    expect(process.listeners('exit')).toEqual(before);
  });
});
