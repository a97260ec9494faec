import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';

/** What a user is at an identity provider. */
export class IdentityDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ description: 'The key of the provider.', example: 'keycloak' })
  providerKey: string;

  @ApiProperty({ description: 'The name of the provider.', example: 'Keycloak' })
  providerName: string;

  @ApiProperty({
    description: "The provider's lasting name of the person, `sub`.",
    example: '248289761001',
  })
  subject: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The mail address there at the last sign-in; `null` if the provider says none.',
    example: 'robin@example.com',
  })
  mailAddress: string | null;

  @TimestampProperty()
  created: string;

  @TimestampProperty({ description: 'The last sign-in with it; `null` if there was none.', nullable: true })
  lastUsed: string | null;
}
