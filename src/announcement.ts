import { type Environment } from './config/environment';
import { VERSION } from './config/version';
import { type FirstStart } from './first-start/first-start.service';

/**
 * Returns the text printed to the terminal beside the log: the addresses of the service and, on the first start, how to call it.
 * An admin key chosen by the operator, and the link of the user, are left out, because the output may be collected.
 */
export function announcement(
  address: string,
  environment: Environment,
  firstStart: FirstStart | undefined,
): string {
  const base = `${address}${environment.BASE_PATH === '/' ? '' : environment.BASE_PATH}`;
  const lines = [`Version        ${VERSION}`, `Service        ${base}`, `Documentation  ${address}/api-docs`];
  if (firstStart) {
    const { adminKey, passwordLink, hasDemoData } = firstStart;
    const isChosen = environment.ADMIN_API_KEY !== undefined;
    lines.push(
      `API key        ${isChosen ? 'the one in ADMIN_API_KEY' : adminKey}`,
      `               (of the user admin${isChosen ? '' : '; shown this once'})`,
      ...(isChosen
        ? ['Sign in        pms user login-link admin']
        : [
            `Sign in        ${environment.PUBLIC_URL === undefined ? address + passwordLink : environment.webUrl(passwordLink)}`,
            '               (as admin, within a day; shown this once)',
          ]),
      '',
      'Try:',
      '',
    );
    const header = isChosen ? '-H "X-API-Key: $ADMIN_API_KEY"' : `-H 'X-API-Key: ${adminKey}'`;
    if (hasDemoData) {
      lines.push(
        `curl ${header} ${base}/projects/DEMO/git/repositories/demo/pullRequests/1/comments`,
        `curl ${header} ${base}/issues/DEMO-1/comments -H 'Content-Type: application/json' -d '{"content":"Hello"}'`,
      );
    } else {
      lines.push(`curl ${header} ${base}/users/myself`);
    }
  }
  return `\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n\n`;
}
