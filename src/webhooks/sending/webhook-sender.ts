import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, request } from 'undici';
import { VERSION } from '../../config/version';
import { type DeliveryResult } from '../../deliveries/delivery';
import { AddressGuard, RefusedAddressError } from '../../outgoing/address-guard';
import { guardedConnector } from '../../outgoing/guarded-connector';
import { innermost } from '../../outgoing/innermost';
import { WebhookSettings } from './webhook-settings';

/** The result of a request to a webhook. */
export interface AttemptResult extends DeliveryResult {
  /** The beginning of the response body. */
  response: string;
}

const MAX_ERROR_LENGTH = 255;

/**
 * Sends single requests: without redirects, only to checked addresses, and within the deadline, however slowly the receiver
 * responds.
 */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly userAgent = `project-management-service/${VERSION}`;

  constructor(
    private readonly settings: WebhookSettings,
    private readonly guard: AddressGuard,
  ) {
    this.agent = new Agent({
      // The dispatcher limits the concurrency of each webhook.
      connections: null,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      connect: guardedConnector(guard, settings.timeout),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /** Sends a request. Never rejects, whatever the receiver does. */
  async send(url: string, body: Buffer, headers: Record<string, string>): Promise<AttemptResult> {
    const deadline = AbortSignal.timeout(this.settings.timeout);
    let status: number | undefined;
    let retryAfter: string | undefined;
    const beginning: Buffer[] = [];
    try {
      const target = new URL(url);
      this.guard.checkUrl(target);
      const answer = await request(target, {
        method: 'POST',
        dispatcher: this.agent,
        signal: deadline,
        // The deadline alone limits the attempt: an equal limit could expire first and report a different error.
        headersTimeout: 0,
        bodyTimeout: 0,
        headers: { 'content-type': 'application/json', 'user-agent': this.userAgent, ...headers },
        body,
      });
      status = answer.statusCode;
      retryAfter = headerOf(answer, 'retry-after');
      await readBeginning(answer.body, beginning, this.settings.responseLimit);
      const isSuccess = status >= 200 && status < 300;
      const error = isSuccess ? '' : `The receiver answered ${status}.`;
      return { status, response: this.textOf(beginning), error, retryAfter };
    } catch (error) {
      // A response that was cut off has arrived in part.
      const explained = explain(error, deadline.aborted, this.settings.timeout);
      return { status, response: this.textOf(beginning), error: explained, retryAfter };
    }
  }

  private textOf(beginning: readonly Buffer[]): string {
    const text = Buffer.concat(beginning).subarray(0, this.settings.responseLimit).toString('utf8');
    // NUL is not allowed in a text column of the log.
    return text.toWellFormed().replaceAll('\0', '\ufffd');
  }
}

/** Reads chunks of a response up to `limit` bytes; a longer response is cut off and its connection closed. */
async function readBeginning(
  body: Dispatcher.ResponseData['body'],
  chunks: Buffer[],
  limit: number,
): Promise<void> {
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
}

function headerOf(answer: Dispatcher.ResponseData, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function explain(error: unknown, isOver: boolean, timeout: number): string {
  if (isOver) return `No complete response within ${timeout / 1000} s.`;
  const cause = innermost(error);
  if (cause instanceof RefusedAddressError) return cause.message;
  const { code, message } = cause as NodeJS.ErrnoException;
  return (code ? `${code}: ${message}` : message).toWellFormed().slice(0, MAX_ERROR_LENGTH);
}
