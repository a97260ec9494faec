import { diag, DiagLogLevel } from '@opentelemetry/api';
import { globalErrorHandler } from '@opentelemetry/core';
import { exportProblem } from './export-problem';

describe(exportProblem.name, () => {
  it('returns the message of an error reported by the SDK', () => {
    const nothing = (): void => undefined;
    const error = vi.fn<(report: string) => undefined>();
    diag.setLogger(
      { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing },
      { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
    );
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:4318'), { code: 'ECONNREFUSED' });
    globalErrorHandler(refused);
    diag.disable();
    expect(error.mock.calls.map(([report]) => exportProblem(report))).toEqual([refused.message]);
  });

  it.each(['A text.', '{"code":1}', 'null'])('returns any other report unchanged: %s', (report) => {
    expect(exportProblem(report)).toBe(report);
  });
});
