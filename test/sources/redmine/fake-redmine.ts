import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { APP, fileContent, GROUPS, listsOf, USERS, WIKI, wholeIssue, wikiPage } from './redmine-data';

export const ADMIN_KEY = 'a'.repeat(40);
export const MEMBER_KEY = 'b'.repeat(40);

/** What an answer is: a body, or a status without one. */
type Answer = object | number;

/** What only administrators may see. */
const ADMINISTRATION = /^\/(users|groups|custom_fields)\b(?!\/current)/;
/** The names of lists in answers, where they are not the last part of the path. */
const LIST_NAMES: Readonly<Record<string, string>> = { index: 'wiki_pages' };
const UNPAGED = /\/(groups|issue_statuses|issue_priorities|trackers|custom_fields|versions|files)$/;

/** A small Redmine for tests: it answers what `redmine-data.ts` has, in the forms of Redmine's REST API. */
export class FakeRedmine {
  /** The addresses of all requests. */
  requests: string[] = [];
  /** Answers instead of those of the data, by path. */
  readonly answers = new Map<string, Answer>();
  /** How many requests are refused next, until a second has passed. */
  refusals: { status: number; count: number } = { status: 429, count: 0 };
  private server?: Server;

  async open(): Promise<void> {
    this.server = createServer((request, response) => this.respond(request, response));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** The address for `pms import`; the Redmine is below a path. */
  get address(): string {
    return `redmine+http://127.0.0.1:${(this.server?.address() as AddressInfo).port}/tracker`;
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', 'http://localhost');
    this.requests.push(`${url.pathname}${url.search}`);
    if (this.refusals.count > 0) {
      this.refusals.count--;
      response.writeHead(this.refusals.status, { 'Retry-After': '1' }).end();
      return;
    }
    const key = request.headers['x-redmine-api-key'];
    if (key !== ADMIN_KEY && key !== MEMBER_KEY) {
      response.writeHead(401).end();
      return;
    }
    const path = url.pathname.replace(/^\/tracker/, '');
    const [, fileId] = /^\/attachments\/download\/(\d+)$/.exec(path) ?? [];
    if (fileId !== undefined) {
      response.end(fileContent(Number(fileId)));
      return;
    }
    const isHidden = key === MEMBER_KEY && ADMINISTRATION.test(path);
    const answer = isHidden ? 403 : (this.answers.get(path) ?? answerTo(path, url.searchParams));
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }
}

function answerTo(path: string, query: URLSearchParams): Answer {
  const [, name] = /^(.*)\.json$/.exec(path) ?? [];
  if (name === undefined) return 404;
  const list = listsOf(query)[name];
  if (list) return pageOf(name, list, query);
  if (name === '/users/current') return { user: USERS[0] };
  const [, kind, id] = /^\/(issues|groups|roles)\/(\d+)$/.exec(name) ?? [];
  if (kind === 'issues') return { issue: wholeIssue(Number(id)) };
  if (kind === 'groups') return { group: GROUPS.find((group) => group.id === Number(id)) ?? {} };
  if (kind === 'roles')
    return { role: { id, permissions: id === '3' ? ['manage_members'] : ['view_issues'] } };
  return wikiAnswer(name);
}

function pageOf(path: string, list: readonly object[], query: URLSearchParams): object {
  const last = path.split('/').at(-1) ?? '';
  const name = LIST_NAMES[last] ?? last;
  if (UNPAGED.test(path)) return { [name]: list };
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? 25);
  return { [name]: list.slice(offset, offset + limit), total_count: list.length, offset, limit };
}

function wikiAnswer(name: string): Answer {
  const path = `/projects/${APP}/wiki/`;
  // A project without a wiki refuses.
  if (!name.startsWith(path)) return 403;
  const [title = '', version] = name.slice(path.length).split('/').map(decodeURIComponent);
  if (title === 'index') {
    return {
      wiki_pages: Object.entries(WIKI).map(([one, { parent, texts }]) => ({
        title: one,
        version: texts.length,
        ...(parent !== undefined && { parent: { title: parent } }),
      })),
    };
  }
  const page = wikiPage(title, Number(version ?? WIKI[title]?.texts.length));
  return page ? { wiki_page: page } : 404;
}
