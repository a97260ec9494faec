import { ApiProperty } from '@nestjs/swagger';
import { RoleType } from '../../access/role-type';
import { IdProperty, TimestampProperty } from '../../openapi/properties';

/** An identity provider: without its client secret. */
export class IdentityProviderDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ description: 'Its name in paths.', example: 'keycloak' })
  key: string;

  @ApiProperty({ example: 'Keycloak' })
  name: string;

  @ApiProperty({ example: 'https://login.example.com/realms/main' })
  issuer: string;

  @ApiProperty({ example: 'tracker' })
  clientId: string;

  @ApiProperty({
    description: 'Whether the client secret can be used; false after the encryption key was lost.',
    example: true,
  })
  hasClientSecret: boolean;

  @ApiProperty({
    description: 'The redirect URI to register at the provider.',
    example: 'https://tracker.example.com/sign-in/sso/keycloak/callback',
  })
  redirectUri: string;

  @ApiProperty({ example: 'openid profile email' })
  scopes: string;

  @ApiProperty({ type: [String], example: ['example.com'] })
  allowedDomains: string[];

  @ApiProperty({ example: false })
  createsUsers: boolean;

  @ApiProperty({ type: 'integer', format: 'int32', enum: [1, 2, 3, 4, 5, 6], example: 2 })
  defaultRoleType: RoleType;

  @ApiProperty({ example: 'groups' })
  groupsClaim: string;

  @ApiProperty({ type: [String], example: ['1:tracker-administrators'] })
  groupRoles: string[];

  @ApiProperty({ example: false })
  linksByMail: boolean;

  @ApiProperty({ example: false })
  trustsMail: boolean;

  @ApiProperty({ example: false })
  trustsSecondFactor: boolean;

  @ApiProperty({ example: false })
  acceptsMissingAuthTime: boolean;

  @ApiProperty({ example: true })
  enabled: boolean;

  @TimestampProperty()
  created: string;
}
