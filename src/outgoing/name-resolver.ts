import { lookup, Resolver as DnsResolver } from 'node:dns/promises';
import { Turns } from '../limits/turns';

/** An address to which a name resolves. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves a host name. */
export type Resolver = (hostname: string) => Promise<ResolvedAddress[]>;

/** Which name servers are asked, how long each has for its answer in milliseconds, and how often. */
interface Asking {
  /** Those of the system by default. */
  servers?: readonly string[];
  timeout: number;
  tries: number;
}

const ASKING: Asking = { timeout: 2000, tries: 2 };
/** How long a name waits for its turn with the system's resolver, in milliseconds. */
const MAX_WAIT_MS = 5000;
/** What a name server answers for a name that only the system knows, from its file of hosts or with a search domain. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED']);
const SYSTEM = 'system';

/** Resolves a name as all programs of the system do. */
export const systemResolver: Resolver = (hostname) => lookup(hostname, { all: true });

/**
 * Resolves names that users enter. The system's resolver occupies a thread of Node's pool until it has an answer; names that their owner never
 * answers would keep the service from its own database and storage. Name servers are therefore asked without threads, and the system only
 * for what they do not know, one name at a time.
 * @param system asks the system
 */
export function untrustedResolver(asking = ASKING, system = systemResolver): Resolver {
  const turns = new Turns<typeof SYSTEM>({
    atOnce: 1,
    maxWaiting: 1000,
    maxWaitMs: MAX_WAIT_MS,
    refusal: () => Object.assign(new Error('The name could not be resolved in time'), { code: 'ETIMEOUT' }),
  });
  return async (hostname) => {
    // A name without a dot belongs to the host or to a search domain.
    const known = hostname.includes('.') ? await ask(hostname, asking) : [];
    return known.length > 0 ? known : turns.run(SYSTEM, () => system(hostname));
  };
}

/** Returns what name servers know about a name; nothing if they do not know it. @throws their errors, such as ETIMEOUT */
async function ask(hostname: string, { servers, ...patience }: Asking): Promise<ResolvedAddress[]> {
  // Reads the system's settings anew.
  const resolver = new DnsResolver(patience);
  if (servers) resolver.setServers(servers);
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname).then((addresses) => addresses.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(hostname).then((addresses) => addresses.map((address) => ({ address, family: 6 }))),
  ]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find(
    (answer) =>
      answer.status === 'rejected' && !UNKNOWN.has((answer.reason as NodeJS.ErrnoException).code ?? ''),
  );
  if (found.length === 0 && failure?.status === 'rejected') throw failure.reason;
  return found;
}
