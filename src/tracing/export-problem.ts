/**
 * What the SDK of OpenTelemetry reports, in one line for a person: it writes an error as JSON, with its stack.
 * @param report a text, or that JSON
 */
export function exportProblem(report: string): string {
  try {
    const { message } = JSON.parse(report) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : report;
  } catch {
    return report;
  }
}
