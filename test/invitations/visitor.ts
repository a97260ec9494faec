import { Agent, request } from 'undici';
import { PasswordLinksService } from '../../src/sign-in/password-links.service';
import { type World } from '../support/world';

const dispatcher = new Agent({ keepAliveTimeout: 1000 });

/** A page as a browser receives it. */
export interface Visit {
  status: number;
  html: string;
  /** The path of a redirect. */
  location: string | undefined;
}

/** A browser without scripts: keeps cookies, and sends forms with the token of the page that it shows. */
export class Visitor {
  private readonly cookies = new Map<string, string>();
  private csrf: string | undefined;

  /** @param headers of every request */
  constructor(
    private readonly origin: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  static of(world: World, headers?: Readonly<Record<string, string>>): Visitor {
    return new Visitor(new URL(world.server.baseUrl).origin, headers);
  }

  /** Returns the browser of a user who has just signed in. */
  static async signedIn(world: World, { id }: { id: number }): Promise<Visitor> {
    const { path } = await world.write((manager) => world.service(PasswordLinksService).make(manager, id));
    const visitor = Visitor.of(world);
    const { location } = await visitor.send(path, { newPassword: `of the user with the id ${id}` });
    expect(location).toBe('/account');
    return visitor;
  }

  open(path: string): Promise<Visit> {
    return this.request('GET', path);
  }

  /** Sends a form; the values of a list are sent as several fields. */
  send(path: string, fields: Readonly<Record<string, string | readonly string[]>>): Promise<Visit> {
    const form = new URLSearchParams();
    for (const [name, values] of Object.entries({ csrf: this.csrf ?? [], ...fields })) {
      for (const value of [values].flat()) form.append(name, value);
    }
    return this.request('POST', path, form.toString());
  }

  private async request(method: 'GET' | 'POST', path: string, form?: string): Promise<Visit> {
    const { statusCode, headers, body } = await request(this.origin + path, {
      dispatcher,
      method,
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...this.headers,
      },
      body: form,
    });
    for (const cookie of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
    const html = await body.text();
    this.csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? this.csrf;
    const { location } = headers;
    return { status: statusCode, html, location: typeof location === 'string' ? location : undefined };
  }
}
