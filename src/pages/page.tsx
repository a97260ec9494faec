import { type Response } from 'express';
import { type Child } from 'hono/jsx';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { type Language } from './language';
import { SCRIPT_PATH } from './script';
import { STYLE_PATH } from './style';

/** A page loads its style and sends its forms, and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const HEADERS: readonly (readonly [name: string, value: string])[] = [
  // Without a referrer, browsers would send forms without their origin.
  ['Referrer-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
];

const withScript = new WeakSet<Response>();

/** Lets the pages of a response load the script, which browsers otherwise refuse. */
export function allowScript(response: Response): void {
  withScript.add(response);
}

/** Loads the script; only for pages whose responses allow it. */
export const Script = (): JSX.Element => <script src={`/${SCRIPT_PATH}`} defer></script>;

/** A link of the navigation. */
export interface NavigationLink {
  path: string;
  text: string;
}

interface PageProps {
  language: Language;
  title: string;
  /** Above the page, for users who have signed in. */
  navigation?: { label: string; links: readonly NavigationLink[]; current: string; end?: Child };
  /** For a page with one short form. */
  narrow?: true;
  /** The address to which the browser goes on by itself. */
  next?: string;
  children: Child;
}

/** The frame of every page. */
export const Page = ({ language, title, navigation, narrow, next, children }: PageProps): JSX.Element => (
  <html lang={language}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      {next !== undefined && <meta http-equiv="refresh" content={`0; url=${next}`} />}
      <title>{title}</title>
      <link rel="stylesheet" href={`/${STYLE_PATH}`} />
    </head>
    <body>
      {navigation && (
        <header>
          <nav aria-label={navigation.label}>
            <ul>
              {navigation.links.map(({ path, text }) => (
                <li key={path}>
                  <a href={path} aria-current={path === navigation.current ? 'page' : undefined}>
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {navigation.end}
        </header>
      )}
      <main class={narrow ? 'narrow' : undefined}>
        <h1>{title}</h1>
        {children}
      </main>
    </body>
  </html>
);

/** Sends a page. */
export function sendPage(response: Response, page: JSX.Element, status = 200): void {
  const policy = withScript.has(response) ? `${POLICY}; script-src 'self'` : POLICY;
  response.setHeader('Content-Security-Policy', policy);
  for (const [name, value] of HEADERS) response.setHeader(name, value);
  response
    .status(status)
    .type('html')
    .send(`<!doctype html>${(page as { toString(): string }).toString()}`);
}
