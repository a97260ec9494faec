import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { CLIENT_ID, CLIENT_SECRET } from './oidc-provider';

/**
 * Starts oidc-provider, a certified implementation, whose pages ask for a name and for consent. Its host is another site for browsers than
 * that of the service. On Node 20, it warns that this is not supported.
 * @param redirectUri of the client
 */
export async function startCertifiedProvider(
  redirectUri: string,
): Promise<{ issuer: string; stop: () => Promise<void> }> {
  const { Provider } = await import('oidc-provider');
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key', use: 'sig' }] },
    cookies: { keys: ['a key of this test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    pkce: { required: () => true },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: `${accountId}@example.com`,
        email_verified: true,
        name: `The person ${accountId}`,
        preferred_username: accountId,
      }),
    }),
  });
  server.on('request', provider.callback());
  return {
    issuer,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
