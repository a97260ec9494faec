import { Injectable } from '@nestjs/common';
import type { Configuration } from 'openid-client' with { 'resolution-mode': 'import' };
import { EncryptionService } from '../../encryption/encryption.service';
import { type SsoFailure } from '../sso-failure';
import { explainFailure } from './explain-failure';
import { type ClientSettings, ProviderClientsService } from './provider-clients.service';

/** What a check of a provider has found, in the order of the checks. */
export interface ProviderFinding {
  isGood: boolean;
  /** One line for the operator. */
  message: string;
}

/** What helps against a failure, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  unreachable: 'Check the name of the host, and whether this machine reaches it.',
  timeout: 'Check whether this machine reaches it, through a firewall if there is one.',
  tls: 'Give the certificate of a private authority to the service with NODE_EXTRA_CA_CERTS.',
  refused_address: 'If the provider is in a private network, name it in IDENTITY_PROVIDER_ALLOW.',
  unexpected_status: 'There is no OpenID Connect provider at this address: check the path of the issuer.',
  response_is_not_json: 'There is no OpenID Connect provider at this address: check the path of the issuer.',
  parse_error: 'There is no OpenID Connect provider at this address: check the path of the issuer.',
  invalid_response: 'There is no OpenID Connect provider at this address: check the path of the issuer.',
  other_issuer: 'Enter exactly that as the issuer.',
  no_client_secret: 'Enter the client secret again: its encryption key is not configured.',
};

/** A client with which only what needs no client is checked. */
const NOBODY = {
  clientId: 'check',
  clientSecret: 'check',
  scopes: 'openid',
  groupsClaim: '',
  groupRoles: [],
};
/** A code that no provider has issued. */
const UNKNOWN_CODE = 'pms-sso-test';

/** Finds out without a browser what is wrong with a provider, for `pms sso test`. */
@Injectable()
export class ProviderCheckService {
  constructor(
    private readonly clients: ProviderClientsService,
    private readonly encryption: EncryptionService,
  ) {}

  /** Checks an issuer that has not been added. */
  checkIssuer(issuer: string): AsyncGenerator<ProviderFinding> {
    const provider = { ...NOBODY, issuer, clientSecret: this.encryption.encrypt(NOBODY.clientSecret) };
    return this.check(provider);
  }

  /** Checks a provider, and whether it accepts the client secret for the redirect URI. */
  async *checkProvider(provider: ClientSettings, redirectUri: string): AsyncGenerator<ProviderFinding> {
    yield* this.check(provider, redirectUri);
  }

  private async *check(provider: ClientSettings, redirectUri?: string): AsyncGenerator<ProviderFinding> {
    let client: Configuration;
    try {
      client = await this.clients.ask(provider);
    } catch (error) {
      yield bad(describe(explainFailure(error)));
      return;
    }
    yield good(`The provider answers, and calls itself ${client.serverMetadata().issuer}.`);
    yield* checkMetadata(client, provider);
    if (redirectUri !== undefined) yield await this.checkSecret(client, redirectUri);
  }

  /** Sends a code that nobody has issued: the provider refuses either the client or only the code. */
  private async checkSecret(client: Configuration, redirectUri: string): Promise<ProviderFinding> {
    const openid = await import('openid-client');
    try {
      await openid.genericGrantRequest(client, 'authorization_code', {
        code: UNKNOWN_CODE,
        redirect_uri: redirectUri,
        code_verifier: openid.randomPKCECodeVerifier(),
      });
    } catch (error) {
      const failure = explainFailure(error);
      if (failure.code === 'code_refused') return good('The provider accepts the client secret.');
      if (failure.code === 'client_refused') {
        return bad(`The provider refuses the client id or the client secret (${failure.detail}).`);
      }
      return bad(`Whether the client secret is right is not known: ${failure.message}`);
    }
    return bad('The provider accepts a code that it has not issued.');
  }
}

function* checkMetadata(client: Configuration, { scopes }: ClientSettings): Generator<ProviderFinding> {
  const server = client.serverMetadata();
  const missing = (['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const).filter(
    (name) => server[name] === undefined,
  );
  if (missing.length > 0) yield bad(`The provider does not name ${missing.join(', ')}.`);
  if (!server.supportsPKCE()) {
    yield bad(
      'The provider does not say that it supports PKCE with S256 (code_challenge_methods_supported): look whether it does.',
    );
  }
  const algorithms = server.id_token_signing_alg_values_supported ?? [];
  if (!algorithms.some((name) => /^(RS|PS|ES|Ed)/.test(name))) {
    yield bad(
      `The provider signs ID tokens with none of RS256, PS256, ES256 and EdDSA, but with ${algorithms.join(', ') || 'nothing that it names'}.`,
    );
  }
  const known = server.scopes_supported;
  const unknown = known === undefined ? [] : scopes.split(' ').filter((scope) => !known.includes(scope));
  if (unknown.length > 0) yield bad(`The provider does not name the scopes ${unknown.join(', ')}.`);
}

function describe({ code, detail, message }: SsoFailure): string {
  const advice = ADVICE[code];
  return advice === undefined ? message : `${detail} ${advice} (${code})`;
}

const good = (message: string): ProviderFinding => ({ isGood: true, message });
const bad = (message: string): ProviderFinding => ({ isGood: false, message });
