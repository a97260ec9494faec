import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { RoleType } from '../../access/role-type';

/** The account at the vendor that a user is linked to. */
export class VendorAccountDto {
  @ApiProperty({ example: 'd2f0a4c8-6f7e-4d7a-9b55-3f6f0a9d2c11' })
  vendorId: string;

  @ApiProperty({ example: 'Dana Developer' })
  name: string;

  @ApiProperty({ example: 'dana' })
  uniqueId: string;
}

/** The user created at the first startup, for examples of administrators' actions. */
export const ADMINISTRATOR_EXAMPLE = {
  id: 1,
  userId: 'admin',
  name: 'Administrator',
  roleType: RoleType.Administrator,
  lang: 'en',
  mailAddress: 'admin@example.com',
  lastLoginTime: '2026-01-31T09:30:00Z',
  vendorAccount: {
    vendorId: '0b0c5a52-5ad9-4c08-8c0e-7a4d3f0f1f6e',
    name: 'Administrator',
    uniqueId: 'admin',
  },
};

/** A user embedded in other resources (`docs/protocol.md#user`). */
export class UserDto {
  @IdProperty({ example: 2 })
  id: number;

  @ApiProperty({ description: 'The login name.', example: 'dana' })
  userId: string;

  @ApiProperty({ example: 'Dana Developer' })
  name: string;

  @ApiProperty({
    type: 'number',
    enum: Object.values(RoleType).filter((role) => typeof role === 'number'),
    description: '1 Administrator, 2 Normal User, 3 Reporter, 4 Viewer, 5 Guest Reporter, 6 Guest Viewer.',
    example: RoleType.NormalUser,
  })
  roleType: RoleType;

  @ApiProperty({ example: 'en' })
  lang: string;

  @ApiProperty({ example: 'dana@example.com' })
  mailAddress: string;

  @TimestampProperty()
  lastLoginTime: string;

  @ApiProperty({ type: VendorAccountDto })
  vendorAccount: VendorAccountDto;
}
