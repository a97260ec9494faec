import { type Reporter, type TestModule, type Vitest } from 'vitest/node';

/** Prints, after a run of all suites, the calls that state the type of rows and returned none: their types are unchecked. */
export class UnreadRows implements Reporter {
  private vitest: Vitest;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunEnd(suites: readonly TestModule[]): Promise<void> {
    const all = await this.vitest.globTestSpecifications();
    if (suites.length < all.length) return;
    const read = new Set(suites.flatMap((suite) => suite.meta().readRows ?? []));
    const { rowCalls } = this.vitest.getRootProject().getProvidedContext();
    const unread = rowCalls.map(({ place }) => place).filter((place) => !read.has(place));
    console.log(
      [`\n${unread.length} of ${rowCalls.length} statements with typed rows returned none:`, ...unread].join(
        '\n  ',
      ),
    );
  }
}
