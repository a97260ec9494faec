import { grouped } from '../quantities';
/** What an import cannot take over, for its report: each kind of loss once, with its number and a few examples. */
export class Losses {
  private readonly byText = new Map<string, { count: number; examples: string[] }>();

  /**
   * @param example names the object, if there may be several
   * @param times how often it happened
   */
  note(text: string, example?: string, times = 1): void {
    if (times === 0) return;
    const loss = this.byText.get(text) ?? { count: 0, examples: [] };
    loss.count += times;
    if (example !== undefined && loss.examples.length < 3) loss.examples.push(example);
    this.byText.set(text, loss);
  }

  /** Returns one line for each kind of loss. */
  list(): Loss[] {
    return [...this.byText].map(([text, { count, examples }]) => ({ text, count, examples }));
  }
}

/** Returns a loss in one line. */
export function lossLine({ text, count, examples }: Loss): string {
  const times = count > 1 ? ` (${grouped(count)})` : '';
  return `${text}${times}${examples.length > 0 ? `: ${examples.join(', ')}` : ''}`;
}

/** Something that an import cannot take over. */
export interface Loss {
  text: string;
  count: number;
  examples: readonly string[];
}
