const FIRST_SHOWN_MS = 1000;
const INTERVAL_MS = 100;
const BAR_WIDTH = 30;
const ERASE_LINE = '\r\u001b[K';

/** Shows the progress of a command: a bar on a terminal's standard error, once the command has taken a second. */
export class Progress {
  private readonly begun = performance.now();
  private shown = 0;
  private isShown = false;
  /** Where the first shown update was: a resumed work begins in the middle. */
  private first?: { done: number; at: number };

  /**
   * @param label what is being done
   * @param isRated whether to show the rate and the time left
   */
  constructor(
    private readonly label: string,
    private readonly terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
    private readonly isRated = false,
  ) {}

  /** @param total total amount of work; 0 if unknown */
  update(done: number, total: number): void {
    const now = performance.now();
    if (!this.terminal.isTTY || now - this.begun < FIRST_SHOWN_MS || now - this.shown < INTERVAL_MS) return;
    this.shown = now;
    this.isShown = true;
    this.first ??= { done, at: now };
    const rate = this.isRated ? rateText(done - this.first.done, total - done, now - this.first.at) : '';
    this.terminal.write(`${ERASE_LINE}${progressLine(this.label, done, total)}${rate}`);
  }

  /** Removes the bar. */
  end(): void {
    if (this.isShown) this.terminal.write(ERASE_LINE);
    this.isShown = false;
  }
}

function progressLine(label: string, done: number, total: number): string {
  if (total <= 0) return `${label} ${done}`;
  const part = Math.min(1, done / total);
  const filled = Math.round(part * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
  return `${label} [${bar}] ${Math.floor(part * 100)} % (${done} of ${total})`;
}

/** Returns the rate, and the time left at this rate. */
function rateText(done: number, left: number, elapsedMs: number): string {
  if (done <= 0 || elapsedMs <= 0) return '';
  const perSecond = (done / elapsedMs) * 1000;
  const rate = perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1);
  if (left <= 0) return `, ${rate}/s`;
  const seconds = Math.ceil(left / perSecond);
  const minutes = Math.floor(seconds / 60);
  return `, ${rate}/s, ${minutes > 0 ? `${minutes} min ` : ''}${seconds % 60} s left`;
}
