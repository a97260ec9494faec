/** Address of one server of the MySQL protocol. */
export interface ServerAddress {
  host: string;
  port: number;
}

/** The parsed `DATABASE_URL` of a MySQL or MariaDB server. */
export interface ServerUrl {
  type: 'mysql' | 'mariadb';
  /** The servers of the database, the preferred one first: nodes of a cluster, or a primary and its replicas. */
  servers: readonly [ServerAddress, ...ServerAddress[]];
  username: string;
  password: string;
  database: string;
  /** Whether connections are encrypted, and the server's certificate is verified. */
  isEncrypted: boolean;
  /** File of the certificate authority; undefined = one that the system trusts. */
  authorityFile?: string;
  /** Galera's `wsrep_sync_wait`: the kinds of statement that wait for commits of other nodes; 0 = none. */
  syncWait: number;
}

const SERVER_URL = /^(mysql|mariadb):\/\/(?:([^/?#]*)@)?([^/?#@]+)\/([^/?#]+)(?:\?([^#]*))?$/;
const SERVER = /^(?:\[([\da-f:.]+)\]|([^[\]:,\s]+))(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 3306;
const PARAMETERS = new Set(['ssl', 'ssl-ca', 'wsrep-sync-wait']);

/**
 * Parses `mariadb://USER:PASSWORD@HOST:PORT,HOST/NAME?ssl=true&ssl-ca=FILE&wsrep-sync-wait=1`.
 * @returns undefined when the text is not such a URL
 */
export function parseServerUrl(text: string): ServerUrl | undefined {
  const [, type, credentials = '', hosts = '', name = '', query = ''] = SERVER_URL.exec(text) ?? [];
  if (type === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const [first, ...others] = hosts.split(',').map(parseServer);
  const [username, password, database] = [...splitCredentials(credentials), name].map(decode);
  const ssl = parameters.get('ssl') ?? 'false';
  const syncWait = parameters.get('wsrep-sync-wait') ?? '0';
  if (!first || !others.every((server) => server !== undefined)) return undefined;
  if (username === undefined || password === undefined || database === undefined) return undefined;
  if ([...parameters.keys()].some((key) => !PARAMETERS.has(key))) return undefined;
  if (!['true', 'false'].includes(ssl) || !/^(\d|1[0-5])$/.test(syncWait)) return undefined;
  const authorityFile = parameters.get('ssl-ca') ?? undefined;
  return {
    type: type as ServerUrl['type'],
    servers: [first, ...others],
    username,
    password,
    database,
    isEncrypted: ssl === 'true' || authorityFile !== undefined,
    authorityFile,
    syncWait: Number(syncWait),
  };
}

function parseServer(text: string): ServerAddress | undefined {
  const [, ipv6, name, portText] = SERVER.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = portText === undefined ? DEFAULT_PORT : Number(portText);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function splitCredentials(text: string): [username: string, password: string] {
  const colon = text.indexOf(':');
  return colon === -1 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is a `DATABASE_URL`. */
export const isDatabaseUrl = (text: string): boolean =>
  /^sqlite:./.test(text) || parseServerUrl(text) !== undefined;
