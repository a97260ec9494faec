/**
 * Returns a report of the OpenTelemetry SDK as one line of text: the SDK writes an error as JSON, with its stack.
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
