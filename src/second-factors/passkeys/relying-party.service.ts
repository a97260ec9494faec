import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { Environment } from '../../config/environment';
import { parseUrl } from '../../config/parse-url';

/** The service as browsers know it: passkeys belong to a host, and answers name the origin of the page. */
export interface RelyingParty {
  /** The name of the host. */
  id: string;
  origin: string;
}

const LOCALHOST = /^localhost(:\d{1,5})?$/i;

/** Finds the host to which passkeys belong (`docs/decisions/0064-passkeys.md#host`). */
@Injectable()
export class RelyingPartyService {
  constructor(private readonly environment: Environment) {}

  /** Returns that of `PUBLIC_URL`, or else of a request to localhost; undefined for an address at which browsers accept no passkeys. */
  find({ headers, protocol }: Request): RelyingParty | undefined {
    const { PUBLIC_URL } = this.environment;
    if (PUBLIC_URL !== undefined) return partyAt(PUBLIC_URL);
    const { host = '' } = headers;
    return LOCALHOST.test(host) ? partyAt(`${protocol}://${host}`) : undefined;
  }
}

function partyAt(address: string): RelyingParty | undefined {
  const url = parseUrl(address);
  if (!url) return undefined;
  const { origin, protocol, hostname } = url;
  const isNamed = isIP(hostname) === 0 && !hostname.startsWith('[');
  const isTrusted = protocol === 'https:' || hostname === 'localhost';
  return isNamed && isTrusted ? { id: hostname, origin } : undefined;
}
