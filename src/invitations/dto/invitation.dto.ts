import { ApiProperty } from '@nestjs/swagger';
import { EVERYONE, RoleType } from '../../access/role-type';
import { IdProperty, NullableProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

const ID_ITEMS = { type: 'array', items: { type: 'integer', format: 'int64', minimum: 1 } } as const;

/** What every response shows of an invitation. */
export class InvitationBaseDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ format: 'email', example: 'kim@example.com' })
  mailAddress: string;

  @ApiProperty({ type: 'integer', format: 'int32', enum: EVERYONE, example: RoleType.NormalUser })
  roleType: RoleType;

  @ApiProperty({ ...ID_ITEMS, description: 'Ids of the projects that the user joins.', example: [1] })
  projectIds: number[];

  @ApiProperty({ ...ID_ITEMS, description: 'Ids of the teams that the user joins.', example: [1] })
  teamIds: number[];

  @TimestampProperty()
  created: string;

  @TimestampProperty({ description: 'Time from which the link does not work.' })
  expires: string;
}

/** An invitation, in lists: without its link, of which only a hash is stored. */
export class InvitationDto extends InvitationBaseDto {
  @NullableProperty(() => UserDto, {
    description: 'The Administrator who invites; `null` for a command on the machine of the service.',
    example: ADMINISTRATOR_EXAMPLE,
  })
  createdUser: UserDto | null;

  @TimestampProperty({
    description: 'When the person became a user; `null` until then.',
    nullable: true,
    example: null,
  })
  accepted: string | null;

  @NullableProperty(() => UserDto, {
    description: 'The user that the person became; `null` until then, and after the user has been removed.',
    example: null,
  })
  acceptedUser: UserDto | null;
}

/** A new invitation, with its link. */
export class NewInvitationDto extends InvitationBaseDto {
  @ApiProperty({
    description: 'The address of the page, shown only once. Whoever opens it first can become the user.',
    example: 'http://localhost:3000/invitation/EXAMPLEtokenEXAMPLEtokenEXAMPLEtokenEXAMPLE',
  })
  url: string;
}
