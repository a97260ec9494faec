import { ADMIN_KEY, BASE_PATH } from '../support/processes';

const TIMEOUT_MS = 60_000;
export const PROJECT_KEY = 'BENCH';
const REPOSITORIES = `/projects/${PROJECT_KEY}/git/repositories`;

/** A response of the service, and its duration. */
export interface Answer<T> {
  body: T;
  /** Until the last byte, in milliseconds. */
  time: number;
}

/** Sends the API requests that the git benchmark needs. */
export class GitClient {
  constructor(private readonly origin: string) {}

  async addProject(): Promise<void> {
    await this.send('POST', '/projects', { key: PROJECT_KEY, name: 'Bench' });
  }

  async addRepository(name: string): Promise<number> {
    return (await this.send<{ id: number }>('POST', REPOSITORIES, { name })).body.id;
  }

  async addPullRequest(repository: string, branch: string): Promise<number> {
    const fields = { summary: `Merge ${branch}`, description: '', base: 'main', branch };
    const path = `${REPOSITORIES}/${repository}/pullRequests`;
    return (await this.send<{ number: number }>('POST', path, fields)).body.number;
  }

  merge(repository: string, number: number): Promise<Answer<{ mergeCommit: string | null }>> {
    return this.send('PATCH', `${REPOSITORIES}/${repository}/pullRequests/${number}`, { statusId: 3 });
  }

  changedFiles(
    repository: string,
    number: number,
    offset: number,
    count: number,
  ): Promise<Answer<{ patch: string | null }[]>> {
    const path = `${REPOSITORIES}/${repository}/pullRequests/${number}/files`;
    return this.send('GET', `${path}?offset=${offset}&count=${count}`);
  }

  private async send<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
    const began = performance.now();
    const response = await fetch(this.origin + BASE_PATH + path, {
      method,
      headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const time = performance.now() - began;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { body: JSON.parse(text) as T, time };
  }
}
