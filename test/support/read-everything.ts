import { type ApiClient } from './api';
import { documentedOperations } from './conformance';
import { OPERATIONS } from './operations';

/** Ids and keys by name of the path parameter. */
export type PathValues = ReadonlyMap<string, readonly (string | number)[]>;

/** Maximum number of paths per operation; those with values that do not exist get 404 from both services. */
const MAX_PATHS = 60;
/** Values that change through reading. */
const VOLATILE = /"(?:lastLoginTime|lastUsed)":(?:"[^"]*"|null)/g;
/** Operations that do not concern stored data, or whose responses change through reading. */
const LEFT_OUT = [
  '/health/live',
  '/health/ready',
  '/rateLimit',
  '/users/myself/recentlyViewedIssues',
  '/users/myself/recentlyViewedProjects',
  '/users/myself/recentlyViewedWikis',
];

/** The status and body of each response, by path. */
export type Answers = Map<string, string>;

/**
 * Sends every GET operation of the document for all the given values, except those on the contents of git.
 * @returns the responses, and the operations without a response of 200
 */
export async function readEverything(
  api: ApiClient,
  values: PathValues,
): Promise<{ answers: Answers; unanswered: string[] }> {
  const answers: Answers = new Map();
  const unanswered: string[] = [];
  for (const { method, path, operation } of documentedOperations) {
    const isOfGit = OPERATIONS[operation.operationId ?? '']?.withGit === true;
    if (method !== 'get' || LEFT_OUT.includes(path) || isOfGit) continue;
    const parameters = (operation.parameters ?? []) as { name: string; in: string; required?: boolean }[];
    const query = requiredQuery(parameters, values);
    let isAnswered = false;
    for (const concrete of pathsOf(path, values).slice(0, MAX_PATHS)) {
      const answer = await api.download(concrete + query);
      isAnswered ||= answer.status === 200;
      const disposition = answer.headers.get('content-disposition') ?? '';
      const body = disposition === '' ? answer.text.replace(VOLATILE, '') : answer.bytes.toString('base64');
      answers.set(concrete + query, `${answer.status} ${disposition} ${body}`);
    }
    if (!isAnswered) unanswered.push(operation.operationId ?? path);
  }
  return { answers, unanswered };
}

function requiredQuery(
  parameters: readonly { name: string; in: string; required?: boolean }[],
  values: PathValues,
): string {
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    if (parameter.in !== 'query') continue;
    if (parameter.name === 'count') query.set('count', '100');
    else if (parameter.required) query.set(parameter.name, String(values.get(parameter.name)?.[0] ?? 1));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Returns every path that a template and the values give. */
function pathsOf(template: string, values: PathValues): string[] {
  const [, before, name, after] = /^([^{]*)\{(\w+)\}(.*)$/.exec(template) ?? [];
  if (before === undefined || name === undefined || after === undefined) return [template];
  const rest = pathsOf(after, values);
  const known = values.get(name) ?? [];
  return known.flatMap((value) => rest.map((end) => before + encodeURIComponent(value) + end));
}
