import { toTimestamp } from '../http/timestamp';
import { type UserDto } from './dto/user.dto';
import { type RoleType } from './role-type';

/** The columns of a user that the wire shows, as `UserRow` names them. */
export const USER_COLUMNS = `id, user_id AS userId, name, role_type AS roleType, lang, mail_address AS mailAddress,
  last_login_time AS lastLoginTime, vendor_id AS vendorId, vendor_name AS vendorName,
  vendor_unique_id AS vendorUniqueId`;

/** A user as read from the database. */
export interface UserRow {
  id: number;
  userId: string;
  name: string;
  roleType: RoleType;
  lang: string;
  mailAddress: string;
  lastLoginTime: number;
  vendorId: string;
  vendorName: string;
  vendorUniqueId: string;
}

/** A user as the wire shows it. */
export const toUserDto = (row: UserRow): UserDto => ({
  id: row.id,
  userId: row.userId,
  name: row.name,
  roleType: row.roleType,
  lang: row.lang,
  mailAddress: row.mailAddress,
  lastLoginTime: toTimestamp(row.lastLoginTime),
  vendorAccount: { vendorId: row.vendorId, name: row.vendorName, uniqueId: row.vendorUniqueId },
});
