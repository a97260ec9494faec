import { parseUrl } from './parse-url';

/** A mail server, and how it is reached. */
export interface SmtpServer {
  host: string;
  port: number;
  /** The login; undefined if the server needs none. */
  user?: string;
  password?: string;
  /** From the first byte, after STARTTLS, or only if the server offers STARTTLS. */
  encryption: 'tls' | 'starttls' | 'optional';
  /** File of the certificate authority; undefined = one that the system trusts. */
  authorityFile?: string;
}

export const SMTP_URL_FORM =
  'smtp://USER:PASSWORD@HOST:PORT or smtps://…, with no other options than ?starttls=optional and ?ca=FILE';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };
const PARAMETERS = new Set(['starttls', 'ca']);
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Parses an address of a mail server. Undefined when the text is not one. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = parseUrl(text);
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? ''];
  if (!url || defaultPort === undefined || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.hash) {
    return undefined;
  }
  const starttls = url.searchParams.get('starttls');
  if ([...url.searchParams.keys()].some((key) => !PARAMETERS.has(key))) return undefined;
  if (starttls !== null && (starttls !== 'optional' || url.protocol !== 'smtp:')) return undefined;
  const [user, password] = [url.username, url.password].map(decoded);
  if (user === undefined || password === undefined || (user === '' && password !== '')) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: url.port === '' ? defaultPort : Number(url.port),
    ...(user !== '' && { user, password }),
    encryption:
      url.protocol === 'smtps:' ? 'tls' : starttls || LOOPBACK_HOST.test(host) ? 'optional' : 'starttls',
    authorityFile: url.searchParams.get('ca') ?? undefined,
  };
}

/** Whether a mail server is on this machine, where letters are tried out. */
export const isOnThisMachine = ({ host }: SmtpServer): boolean => LOOPBACK_HOST.test(host);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
