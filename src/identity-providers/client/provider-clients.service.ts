import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client' with {
  'resolution-mode': 'import',
};
import { Environment } from '../../config/environment';
import { parseUrl } from '../../config/parse-url';
import { EncryptionService } from '../../encryption/encryption.service';
import { type ProviderRow } from '../data/identity-provider.repository';
import { SsoFailure } from '../sso-failure';
import { explainFailure } from './explain-failure';
import { isSecureAddress, PROVIDER_TIMEOUT_MS, ProviderFetch } from './provider-fetch';

/** How long what a provider says about itself is used, in milliseconds. */
const DISCOVERED_MS = 10 * 60_000;
/** More than there are providers: changed ones count anew. */
const MAX_CLIENTS = 100;
const MAX_SUBJECT = 255;

/** The part of a provider that its requests need. */
export type ClientSettings = Pick<
  ProviderRow,
  'issuer' | 'clientId' | 'clientSecret' | 'scopes' | 'groupsClaim' | 'groupRoles'
>;

/** What binds the return of a browser to its departure. */
export interface ProtocolSecrets {
  state: string;
  nonce: string;
  /** The PKCE code verifier. */
  verifier: string;
}

/** What a provider says about a person, after all checks. */
export interface ProvedPerson {
  /** `sub` */
  subject: string;
  mailAddress?: string;
  /** Undefined if the provider does not say. */
  isMailVerified?: boolean;
  /** `preferred_username` */
  userName?: string;
  name?: string;
  /** Undefined if there are too many for a token: the provider then names only a place to ask. */
  groups?: readonly string[];
  /** How the person has proved who they are, `amr`. */
  methods: readonly string[];
  /** When they did, in milliseconds since 1970; undefined if the provider does not say. */
  authenticated?: number;
}

/**
 * Speaks OpenID Connect with providers. openid-client is loaded with the first request. What a provider says about itself is cached, and
 * asked once for all who wait for it.
 */
@Injectable()
export class ProviderClientsService implements OnApplicationShutdown {
  readonly requests: ProviderFetch;
  private readonly clients = new LRUCache<string, Promise<Configuration>>({
    max: MAX_CLIENTS,
    ttl: DISCOVERED_MS,
  });

  constructor(
    { IDENTITY_PROVIDER_ALLOW }: Environment,
    private readonly encryption: EncryptionService,
  ) {
    this.requests = new ProviderFetch(IDENTITY_PROVIDER_ALLOW);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.requests.close();
  }

  /**
   * Returns the address at the provider to which the browser goes.
   * @param again whether the provider has to ask the person to prove again who they are
   * @throws SsoFailure
   */
  async authorizationUrl(
    provider: ClientSettings,
    redirectUri: string,
    { state, nonce, verifier }: ProtocolSecrets,
    again: boolean,
  ): Promise<string> {
    try {
      const openid = await import('openid-client');
      const client = await this.clientOf(provider);
      const url = openid.buildAuthorizationUrl(client, {
        redirect_uri: redirectUri,
        scope: provider.scopes,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(again && { prompt: 'login', max_age: '0' }),
      });
      if (!isSecureAddress(url)) {
        throw new SsoFailure('unavailable', 'not_encrypted', 'The authorization endpoint is not encrypted.');
      }
      return url.href;
    } catch (error) {
      throw explainFailure(error);
    }
  }

  /**
   * Exchanges the code with which a browser has come back, and checks who the person is: state, issuer, signature, audience, nonce and time.
   * @param query of the return
   * @throws SsoFailure
   */
  async exchange(
    provider: ClientSettings,
    redirectUri: string,
    query: URLSearchParams,
    { state, nonce, verifier }: ProtocolSecrets,
  ): Promise<ProvedPerson> {
    try {
      const openid = await import('openid-client');
      const client = await this.clientOf(provider);
      const tokens = await openid.authorizationCodeGrant(
        client,
        new URL(`${redirectUri}?${query.toString()}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        },
      );
      const claims = tokens.claims();
      if (!claims) throw new SsoFailure('invalid', 'no_id_token', 'The provider has sent no ID token.');
      const { sub } = claims;
      if (sub.length > MAX_SUBJECT)
        throw new SsoFailure('invalid', 'long_subject', 'The subject is too long.');
      const isComplete = claims.email !== undefined && this.hasGroups(provider, claims);
      const hasMore = client.serverMetadata().userinfo_endpoint !== undefined;
      const more =
        isComplete || !hasMore ? undefined : await openid.fetchUserInfo(client, tokens.access_token, sub);
      return personOf(provider, claims, more);
    } catch (error) {
      throw explainFailure(error);
    }
  }

  /**
   * Returns what a provider says about itself, after checking that it is the issuer.
   * @throws the errors of the request and of openid-client, SsoFailure
   */
  private clientOf(provider: ClientSettings): Promise<Configuration> {
    return this.clients.get(keyOf(provider)) ?? this.ask(provider);
  }

  /** Same, but asks the provider even if it has said so before. Later requests use this answer. */
  ask(provider: ClientSettings): Promise<Configuration> {
    const key = keyOf(provider);
    const discovering = this.discover(provider);
    this.clients.set(key, discovering);
    discovering.catch(() => {
      if (this.clients.peek(key) === discovering) this.clients.delete(key);
    });
    return discovering;
  }

  private async discover({ issuer, clientId, clientSecret }: ClientSettings): Promise<Configuration> {
    const secret = this.encryption.tryDecrypt(clientSecret);
    if (secret === undefined) {
      throw new SsoFailure('unavailable', 'no_client_secret', 'The client secret has to be entered again.');
    }
    const openid = await import('openid-client');
    const url = new URL(issuer);
    const client = await openid.discovery(
      url,
      clientId,
      secret,
      // Most providers accept the secret in the body; those that do not name the methods that they accept.
      (server, metadata, body, headers) => {
        const methods = server.token_endpoint_auth_methods_supported;
        const inBody = methods === undefined || methods.includes('client_secret_post');
        const authenticate = inBody ? openid.ClientSecretPost(secret) : openid.ClientSecretBasic(secret);
        authenticate(server, metadata, body, headers);
      },
      {
        timeout: PROVIDER_TIMEOUT_MS / 1000,
        [openid.customFetch]: this.requests.fetch,
        // Without these, the signature of an ID token that comes over TLS is not checked.
        execute: [
          openid.enableNonRepudiationChecks,
          // oxlint-disable-next-line typescript/no-deprecated -- only for this machine
          ...(url.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    const { issuer: named } = client.serverMetadata();
    // openid-client makes an exception for the tenants of one vendor.
    if (parseUrl(named)?.href !== url.href) {
      throw new SsoFailure(
        'unavailable',
        'other_issuer',
        `The provider calls itself ${named.slice(0, 200)}.`,
      );
    }
    return client;
  }

  private hasGroups({ groupRoles, groupsClaim }: ClientSettings, claims: IDToken): boolean {
    return (
      groupRoles.length === 0 || claims[groupsClaim] !== undefined || hasTooManyGroups(groupsClaim, claims)
    );
  }
}

const keyOf = ({ issuer, clientId, clientSecret }: ClientSettings): string =>
  JSON.stringify([issuer, clientId, clientSecret]);

function personOf(
  { groupsClaim }: ClientSettings,
  claims: IDToken,
  more: UserInfoResponse | undefined,
): ProvedPerson {
  const said: Readonly<Record<string, unknown>> = { ...more, ...claims };
  // Which address is verified, only the response with the address says.
  const { email, email_verified: verified } = claims.email === undefined ? { ...more } : claims;
  return {
    subject: claims.sub,
    mailAddress: textOf(email),
    isMailVerified: flagOf(verified),
    userName: textOf(said.preferred_username),
    name: textOf(said.name),
    groups: hasTooManyGroups(groupsClaim, claims) ? undefined : textsOf(said[groupsClaim]),
    methods: textsOf(claims.amr),
    authenticated: typeof claims.auth_time === 'number' ? claims.auth_time * 1000 : undefined,
  };
}

/** Whether the groups are left out of the token because there are too many (OpenID Connect Core, section 5.6.2). */
function hasTooManyGroups(groupsClaim: string, claims: IDToken): boolean {
  const elsewhere: unknown = claims._claim_names;
  return typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const textsOf = (value: unknown): readonly string[] =>
  [value].flat().filter((item): item is string => typeof item === 'string');

/** Some providers send the words. */
const flagOf = (value: unknown): boolean | undefined =>
  value === undefined || value === null ? undefined : value === true || value === 'true';
