import { ADMIN_KEY, BASE_PATH } from '../support/processes';

/** How many requests are sent at once. */
const AT_ONCE = 16;

/** The API of an instance. */
export class Space {
  constructor(readonly origin: string) {}

  /** Returns the parsed answer. @throws Error for any status but 2xx */
  async send<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object | FormData): Promise<T> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.origin}${BASE_PATH}${path}`, {
      method,
      headers: {
        'Backlog-API-Key': ADMIN_KEY,
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }

  get<T>(path: string): Promise<T> {
    return this.send('GET', path);
  }

  post<T = { id: number }>(path: string, body: object | FormData): Promise<T> {
    return this.send('POST', path, body);
  }

  /** Returns the id of a new upload. */
  async upload(content: string, name: string): Promise<number> {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    return (await this.post('/space/attachment', form)).id;
  }
}

/** Runs work for each element, some at once. */
export async function forEach<T>(
  elements: readonly T[],
  work: (element: T, index: number) => Promise<void>,
): Promise<void> {
  const left = elements.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, element] of left) await work(element, index);
    }),
  );
}
