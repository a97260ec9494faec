import { checkConformance } from './conformance';

/** An answer of the service. */
export interface ApiResponse<Body = unknown> {
  status: number;
  headers: Headers;
  /** The value of a JSON body, the text of any other, undefined without one. */
  body: Body;
  /** The body as it came over the wire. */
  text: string;
}

/** An answer that may be a file. */
export interface Download extends ApiResponse<any> {
  bytes: Buffer;
}

/** Requests as one user, every answer held against the OpenAPI document. Paths start at the base path: `/issues/DEMO-1/comments`. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string | undefined,
  ) {}

  get<Body = any>(path: string): Promise<ApiResponse<Body>> {
    return this.send('GET', path);
  }

  post<Body = any>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send('POST', path, body);
  }

  patch<Body = any>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send('PATCH', path, body);
  }

  put<Body = any>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send('PUT', path, body);
  }

  delete<Body = any>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send('DELETE', path, body);
  }

  /** Uploads a file and gives the answer of `POST /space/attachment`. */
  upload<Body = any>(
    content: string | Uint8Array<ArrayBuffer>,
    name = 'file.txt',
  ): Promise<ApiResponse<Body>> {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    return this.send('POST', '/space/attachment', form);
  }

  /** Gets a file as bytes. */
  download(path: string, headers: Record<string, string> = {}): Promise<Download> {
    return this.request('GET', path, undefined, headers);
  }

  /** Any request; a plain object goes as JSON, strings, forms and parameters as they are. */
  send<Body = any>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Body>> {
    return this.request(method, path, body, headers);
  }

  private async request(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Download> {
    const isRaw =
      body === undefined ||
      typeof body === 'string' ||
      body instanceof FormData ||
      body instanceof URLSearchParams ||
      body instanceof Uint8Array;
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(this.key !== undefined && { 'X-API-Key': this.key }),
        ...(!isRaw && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: isRaw ? (body as RequestInit['body']) : JSON.stringify(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    const answer = {
      status: response.status,
      headers: response.headers,
      bytes,
      text,
      body: valueOf(response.headers, text),
    };
    checkConformance(method, path, answer);
    return answer;
  }
}

function valueOf(headers: Headers, text: string): unknown {
  if (text === '') return undefined;
  return headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
}
