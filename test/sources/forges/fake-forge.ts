import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A request that a forge has received. */
export interface Asked {
  /** The path below that of the API, or the whole path of a request for something else. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}

/** An answer with another status, or a part of a list. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}

/**
 * A host of git repositories with an API, which answers in the documented forms. It serves lists in pages with links, and bare repositories as
 * files, which git can clone.
 */
export abstract class FakeForge {
  readonly asked: Asked[] = [];
  /** Answers in place of the forge, if it returns something. */
  instead: (asked: Asked) => Answer | undefined = () => undefined;
  private server?: Server;

  /** @param folder of the bare repositories, by the paths of their addresses */
  constructor(
    private readonly apiPath: string,
    private readonly folder: string,
  ) {}

  async open(): Promise<this> {
    this.server = createServer((request, response) => {
      const url = new URL(request.url ?? '', this.origin);
      const isApi = url.pathname.startsWith(this.apiPath);
      const path = isApi ? url.pathname.slice(this.apiPath.length) : url.pathname;
      const asked = { path, query: url.searchParams, headers: request.headers };
      this.asked.push(asked);
      if (isApi) this.send(asked, response);
      else this.sendFile(path, response);
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
  }

  /** Returns what the API has at a path: lists whole; undefined for nothing. */
  protected abstract answer(asked: Asked): unknown;

  /** Returns the size of the largest page of a list. */
  protected abstract pageOf(path: string): number;

  private send(asked: Asked, response: ServerResponse): void {
    const found = this.instead(asked) ?? this.answer(asked);
    if (found === undefined) this.write(response, new Answer(404, { message: 'Not Found' }));
    else if (found instanceof Answer) this.write(response, found);
    else this.write(response, Array.isArray(found) ? this.page(asked, found) : new Answer(200, found));
  }

  private page({ path, query }: Asked, elements: unknown[]): Answer {
    const size = Math.min(Number(query.get('per_page') ?? 30), this.pageOf(path));
    const page = Number(query.get('page') ?? 1);
    const next = new URLSearchParams(query);
    next.set('page', String(page + 1));
    const isLast = page * size >= elements.length;
    return new Answer(
      200,
      elements.slice((page - 1) * size, page * size),
      isLast ? {} : { link: `<${this.origin}${this.apiPath}${path}?${next.toString()}>; rel="next"` },
    );
  }

  private write(response: ServerResponse, { status, body, headers }: Answer): void {
    const isText = typeof body === 'string';
    response
      .writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
      .end(isText ? body : JSON.stringify(body));
  }

  private sendFile(path: string, response: ServerResponse): void {
    const file = join(this.folder, decodeURIComponent(path));
    const isThere = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/octet-stream' });
    response.end(isThere ? readFileSync(file) : '');
  }
}
