import { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { type Caller } from '../../access/caller';
import { type AuthorizedRequest } from '../../access/access';
import { apiKeyOf } from '../../http/request/credentials';
import { type InternalResponse, LongResponseError } from '../../http/server/internal-requests';
import { type ServiceAdapter } from '../../http/server/service-adapter';
import { loopTurns } from '../../event-loop/loop-turns';
import { ToolError } from '../answers/tool-error';
import { type Operation, type OperationCatalogue } from './operation-catalogue';

/** The parameters of an operation. */
export interface OperationParameters {
  path?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, unknown>>;
  body?: object;
  /** A file to upload, for an operation that takes a form. */
  file?: { name: string; content: Buffer };
}

/** The response of an operation. */
export interface OperationAnswer {
  status: number;
  headers: Readonly<OutgoingHttpHeaders>;
  content: Buffer;
}

/** Maximum length of a response that is read for a tool, in bytes: parsing a longer one would hold the event loop. */
const MAX_BYTES = 1024 * 1024;

/** A response that takes long to parse. */
const LONG_BYTES = 100_000;

/** Headers of the client's request that also apply to the operations that it calls. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'host', 'user-agent'] as const;

/** Calls public operations for one request of a client, with its key: with the same rights, limits and records as over HTTP. */
export class OperationCaller {
  constructor(
    private readonly adapter: ServiceAdapter,
    private readonly catalogue: OperationCatalogue,
    private readonly basePath: string,
    private readonly request: AuthorizedRequest,
    private readonly signal: AbortSignal,
  ) {}

  get caller(): Caller {
    return this.request.caller;
  }

  /**
   * Calls an operation and returns its JSON.
   * @throws ToolError for an answer that is an error
   */
  async json<Body>(id: string, parameters: OperationParameters = {}): Promise<Body> {
    const { content } = await this.call(id, parameters);
    const body = (content.length === 0 ? {} : JSON.parse(content.toString('utf8'))) as Body;
    if (content.length > LONG_BYTES) await loopTurns.nextSlice();
    return body;
  }

  /**
   * Calls an operation.
   * @throws ToolError for an answer that is an error
   */
  async call(id: string, parameters: OperationParameters = {}): Promise<OperationAnswer> {
    const operation = this.catalogue.operations.get(id);
    if (!operation) throw new ToolError(`There is no operation ${id}.`);
    const { status, headers, body: content } = await this.send(operation, parameters);
    if (status >= 400) throw ToolError.ofAnswer(status, headers, content);
    return { status, headers, content };
  }

  private async send(operation: Operation, parameters: OperationParameters): Promise<InternalResponse> {
    const { method } = operation;
    const { path = {}, query = {}, file } = parameters;
    const body = file ? await formOf(file) : parameters.body && jsonOf(parameters.body);
    const request = {
      method,
      url: this.basePath + pathOf(operation.path, path) + queryOf(query),
      headers: { ...this.headers, ...(body && { 'content-type': body.type }) },
      body: body?.bytes,
    };
    try {
      return await this.adapter.sendInternally(this.request, request, {
        maxBytes: MAX_BYTES,
        signal: this.signal,
      });
    } catch (error) {
      if (!(error instanceof LongResponseError)) throw error;
      throw new ToolError(
        method === 'GET'
          ? 'The answer is too long. Ask for fewer records, or for a smaller part.'
          : 'The change has been made. Its answer is too long to be shown.',
      );
    }
  }

  private get headers(): IncomingHttpHeaders {
    const { headers } = this.request;
    return {
      ...Object.fromEntries(
        FORWARDED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
      ),
      'x-request-id': this.request.id as string,
      // The guard has accepted this key.
      'x-api-key': apiKeyOf(this.request),
    };
  }
}

/** @throws ToolError for a missing or malformed parameter */
const pathOf = (template: string, values: Readonly<Record<string, string | number>>): string =>
  template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = values[name];
    // Only the path of a folder may be empty, or have slashes.
    const isFolder = name === 'path';
    if (value === undefined || (value === '' && !isFolder)) throw new ToolError(`${name} is required.`);
    if (!String(value).isWellFormed()) throw new ToolError(`${name} is not well-formed text.`);
    const parts = isFolder ? String(value).split('/') : [value];
    return parts.map(encodeURIComponent).join('/');
  });

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const one of value) parameters.append(`${name}[]`, toText(one));
    else parameters.append(name, toText(value));
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

interface RequestContent {
  type: string;
  bytes: Buffer;
}

const jsonOf = (body: object): RequestContent => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify(body)),
});

/** Returns a form with one file. */
async function formOf({ name, content }: { name: string; content: Buffer }): Promise<RequestContent> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(content)]), name);
  const encoded = new Response(form);
  return {
    type: encoded.headers.get('content-type') ?? '',
    bytes: Buffer.from(await encoded.arrayBuffer()),
  };
}
