import { type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressGuard } from './address-guard';

/** How long a connection attempt outlasts the deadline of its request, in milliseconds. */
const CONNECT_MARGIN_MS = 1000;

/**
 * Returns a connector that connects only to checked addresses: each connection resolves the name once, here.
 * @param timeout of a request, in milliseconds
 */
export function guardedConnector(guard: AddressGuard, timeout: number): buildConnector.connector {
  return (options, callback) => {
    guard.resolve(new URL(`${options.protocol}//${options.host ?? options.hostname}`)).then(
      (addresses) => {
        const lookup: LookupFunction = (_hostname, lookupOptions, found) => {
          const [first] = addresses;
          if (lookupOptions.all) found(null, addresses);
          else found(null, first?.address ?? '', first?.family);
        };
        // Outlasts the deadline of the request, whose error is reported, and then ends the connection.
        buildConnector({ timeout: timeout + CONNECT_MARGIN_MS, lookup })(options, callback);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}
