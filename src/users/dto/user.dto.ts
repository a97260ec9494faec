import { ApiProperty } from '@nestjs/swagger';
import { RoleType } from '../role-type';

/** The account at the vendor that a user is linked to. */
export class VendorAccountDto {
  @ApiProperty({ example: 'd2f0a4c8-6f7e-4d7a-9b55-3f6f0a9d2c11' })
  vendorId: string;

  @ApiProperty({ example: 'Alice Archer' })
  name: string;

  @ApiProperty({ example: 'alice' })
  uniqueId: string;
}

/** A user as other resources carry it (spec, section 2.1). */
export class UserDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 2 })
  id: number;

  @ApiProperty({ description: 'The name to sign in by.', example: 'alice' })
  userId: string;

  @ApiProperty({ example: 'Alice Archer' })
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

  @ApiProperty({ example: 'alice@example.com' })
  mailAddress: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00Z' })
  lastLoginTime: string;

  @ApiProperty({ type: VendorAccountDto })
  vendorAccount: VendorAccountDto;
}
