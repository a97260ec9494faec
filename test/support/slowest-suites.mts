import { type Reporter, type TestModule } from 'vitest/node';

const SHOWN = 10;

/** Prints the slowest suites of a run, with the seconds that each took. */
export class SlowestSuites implements Reporter {
  onTestRunEnd(suites: readonly TestModule[]): void {
    const durations = suites.map((suite) => ({
      name: suite.relativeModuleId,
      seconds: suite.diagnostic().duration / 1000,
    }));
    durations.sort((one, other) => other.seconds - one.seconds);
    const lines = durations
      .slice(0, SHOWN)
      .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${name}`);
    console.log(['\nSlowest suites, in seconds:', ...lines].join('\n'));
  }
}
