import { Agent, type Dispatcher, request } from 'undici';
import { isLoopback } from '../../http/request/loopback';
import { AddressGuard } from '../../outgoing/address-guard';
import { guardedConnector } from '../../outgoing/guarded-connector';

/** Maximum time of a request to a provider, from connecting to the end of the response, in milliseconds. */
export const PROVIDER_TIMEOUT_MS = 5000;
/** Maximum size of a response, in bytes. */
const MAX_BODY = 256 * 1024;
/** Statuses whose responses have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Thrown for a response that is larger than anything a provider needs to say. */
export class TooLargeResponseError extends Error {
  constructor() {
    super(`The response is larger than ${MAX_BODY / 1024} KiB.`);
  }
}

/** Thrown for an address of a provider that is neither encrypted nor on this machine. */
export class InsecureAddressError extends Error {}

/** The parts of a request that openid-client sends. */
interface FetchOptions {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Whether an address of a provider is encrypted, or on this machine. */
export const isSecureAddress = ({ protocol, host }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(host));

/**
 * Sends requests to providers, which are not trusted: only to addresses that the operator permits, without redirects, within the time limit,
 * and with a limit on the response.
 */
export class ProviderFetch {
  readonly guard: AddressGuard;
  private readonly agent: Agent;

  /** @param allow the non-public addresses that are permitted */
  constructor(allow: readonly string[]) {
    this.guard = new AddressGuard('IDENTITY_PROVIDER_ALLOW', allow);
    this.agent = new Agent({
      connections: null,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      connect: guardedConnector(this.guard, PROVIDER_TIMEOUT_MS),
    });
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.agent.destroy();
  }

  /**
   * Sends a request as `fetch` does. Redirects are returned, not followed.
   * @throws InsecureAddressError, RefusedAddressError, TooLargeResponseError, a TimeoutError, and the errors of the connection
   */
  readonly fetch = async (
    url: string,
    { method, headers, body, signal }: FetchOptions,
  ): Promise<Response> => {
    const target = new URL(url);
    if (!isSecureAddress(target)) {
      throw new InsecureAddressError(`The address ${target.origin} is not encrypted.`);
    }
    this.guard.checkUrl(target);
    const deadline = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
    const answer = await request(target, {
      method,
      headers,
      body: body === undefined || body === null ? undefined : String(body as string | URLSearchParams),
      dispatcher: this.agent,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      // The deadline alone limits the request.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const content = await readBounded(answer.body);
    return new Response(WITHOUT_BODY.has(answer.statusCode) ? null : content, {
      status: answer.statusCode,
      headers: headersOf(answer.headers),
    });
  };
}

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new TooLargeResponseError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}
