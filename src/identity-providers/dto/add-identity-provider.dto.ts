import { EVERYONE, RoleType } from '../../access/role-type';
import { BooleanField, NumericEnumField, TextField, UrlField } from '../../http/request/fields';
import {
  ClientSecretField,
  DomainListField,
  GroupRoleListField,
  ProviderKeyField,
  ProviderScopesField,
} from './provider-fields';

const Choice = (description: string, initial = false): PropertyDecorator =>
  BooleanField({ description, default: initial, optional: true, example: initial });

/** Body of `POST /space/identityProviders`. */
export class AddIdentityProviderDto {
  @ProviderKeyField({ description: 'Its name in paths, which cannot be changed.', example: 'keycloak' })
  key: string;

  @TextField({
    description: 'The name that people see on the button.',
    min: 1,
    max: 100,
    trim: true,
    example: 'Keycloak',
  })
  name: string;

  @UrlField({
    description:
      'The issuer, below which the provider has its `/.well-known/openid-configuration`. It cannot be changed, because identities belong to it. `http` is accepted only for this machine.',
    max: 500,
    example: 'https://login.example.com/realms/main',
  })
  issuer: string;

  @TextField({ description: 'The client id.', min: 1, max: 255, trim: true, example: 'tracker' })
  clientId: string;

  @ClientSecretField({
    description: 'The client secret, which is stored encrypted and never shown.',
    example: 'client secret',
  })
  clientSecret: string;

  @ProviderScopesField({
    description: 'The scopes to request.',
    optional: true,
    example: 'openid profile email',
  })
  scopes = 'openid profile email';

  @DomainListField({
    description:
      'The domains of the mail addresses of people who have no identity yet; `*` for all. Without any, only users who have connected the provider sign in.',
    optional: true,
    example: ['example.com'],
  })
  allowedDomains: string[] = [];

  @Choice(
    'Whether people become users at their first sign-in, if the provider says that their mail address is verified and its domain is allowed.',
  )
  createsUsers = false;

  @NumericEnumField({
    description:
      'The role of new users, and of users whose groups give them no other: 1 Administrator, 2 Normal User, 3 Reporter, 4 Viewer, 5 Guest Reporter, 6 Guest Viewer.',
    codes: EVERYONE,
    optional: true,
    example: RoleType.NormalUser,
  })
  defaultRoleType: RoleType = RoleType.NormalUser;

  @TextField({
    description: 'The claim with the groups of a person.',
    min: 1,
    max: 255,
    trim: true,
    optional: true,
    example: 'groups',
  })
  groupsClaim = 'groups';

  @GroupRoleListField({
    description:
      'Roles that groups give at each sign-in: a role, a colon and the group. The first one that applies decides. Without any, roles are not changed.',
    optional: true,
    example: ['1:tracker-administrators'],
  })
  groupRoles: string[] = [];

  @Choice(
    'Whether people get the user with their mail address, if the provider says that it is verified and its domain is allowed. The password of that user is removed, because users enter their mail addresses themselves.',
  )
  linksByMail = false;

  @Choice(
    'Whether mail addresses count as verified if the provider does not say (`email_verified`), as Microsoft Entra ID. Only for a provider at which people cannot choose their mail address.',
  )
  trustsMail = false;

  @Choice(
    'Whether users who have proved several factors at the provider (`amr` contains `mfa`) are not asked for their second factor here.',
  )
  trustsSecondFactor = false;

  @Choice(
    'Whether a sign-in counts as recent if the provider does not say when the user signed in there (`auth_time`), as Google. Whoever uses a browser that is signed in there can then confirm a sign-in here.',
  )
  acceptsMissingAuthTime = false;

  @Choice('Whether users can sign in with it.', true)
  enabled = true;
}
