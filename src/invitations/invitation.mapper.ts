import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type InvitationRow } from './data/invitation.repository';
import { type InvitationBaseDto, type InvitationDto } from './dto/invitation.dto';

/** Converts an invitation to what every response shows of it. */
export const toInvitationBase = ({
  id,
  mailAddress,
  roleType,
  projectIds,
  teamIds,
  created,
  expires,
}: InvitationRow): InvitationBaseDto => ({
  id,
  mailAddress,
  roleType,
  projectIds,
  teamIds,
  created: toTimestamp(created),
  expires: toTimestamp(expires),
});

/** Converts an invitation to its format in lists. */
export const toInvitationDto = (row: InvitationRow, users: ReadonlyMap<number, UserDto>): InvitationDto => ({
  ...toInvitationBase(row),
  createdUser: userOf(row.createdUserId, users),
  accepted: row.accepted === null ? null : toTimestamp(row.accepted),
  acceptedUser: userOf(row.acceptedUserId, users),
});

const userOf = (id: number | null, users: ReadonlyMap<number, UserDto>): UserDto | null =>
  (id === null ? undefined : users.get(id)) ?? null;
