import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { IdentityProvider } from './entities/identity-provider.entity';
import { Identity } from './entities/identity.entity';
import { SsoAttempt } from './entities/sso-attempt.entity';

export const identityProvidersManifest = {
  entities: [IdentityProvider],
  disposable: [Identity, SsoAttempt],
  countLimits: {
    identityProvider: {
      fixed: 20,
      message: (most: number) => `A space can have at most ${most} identity providers.`,
    },
  },
  pathParameters: {
    identityId: idParameter('identity'),
    providerKey: {
      names: 'identity provider',
      description: 'Key of the identity provider.',
      schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,31}$' },
      example: 'keycloak',
    },
  },
} satisfies Manifest;
