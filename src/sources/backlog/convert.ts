import { type CustomFieldSettings, type InitialDateKind } from '../../custom-fields/custom-field-settings';
import {
  allowsMany,
  allowsOtherValue,
  CustomFieldType,
  isListType,
  isTextType,
} from '../../custom-fields/custom-field-type';
import { isCalendarDate } from '../../http/request/date';
import { NotificationReason } from '../../notifications/notification-reason';
import { type ChangeLogEntry } from '../../comments/change-log';
import { type SourceCustomValue, type SourceNotification, type SourceStar, type SourceUser } from '../model';
import {
  type customField,
  itemValue,
  type WireComment,
  type WireCustomValue,
  type WireStar,
  type WireUser,
} from './wire';
import type * as z from 'zod';

/** Converts what the family's API shows to what a source yields. */

const REASONS: ReadonlySet<number> = new Set(
  Object.values(NotificationReason).filter(
    (reason): reason is NotificationReason => typeof reason === 'number',
  ),
);
const NORMAL_ROLE = 2;
const LAST_ROLE = 6;

export function toUser(user: WireUser, isGone: boolean): SourceUser {
  const { vendorAccount, nulabAccount } = user;
  const vendor = vendorAccount
    ? { id: vendorAccount.vendorId, name: vendorAccount.name, uniqueId: vendorAccount.uniqueId }
    : nulabAccount && { id: nulabAccount.nulabId, name: nulabAccount.name, uniqueId: nulabAccount.uniqueId };
  const role = user.roleType ?? NORMAL_ROLE;
  return {
    id: user.id,
    // A user who has left may have no name to sign in by.
    userId: user.userId ?? `user-${user.id}`,
    name: user.name,
    roleType: role >= 1 && role <= LAST_ROLE ? role : NORMAL_ROLE,
    lang: user.lang ?? 'en',
    mailAddress: user.mailAddress ?? '',
    ...(vendor && { vendor }),
    isGone,
  };
}

/**
 * Returns the day of a time of the API. Days are midnight in the time zone of the space, or in UTC.
 * @param timeZone of the space
 */
export function toDay(value: string | null | undefined, timeZone: string): string | null {
  if (value === null || value === undefined || value === '') return null;
  const day = value.slice(0, 10);
  if (isCalendarDate(day) && (value.length === 10 || value.slice(10, 19) === 'T00:00:00')) return day;
  const time = Date.parse(value);
  if (Number.isNaN(time)) return null;
  // This form of English is yyyy-MM-dd.
  return new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(time);
}

/** Returns a time zone that this machine knows. */
export function toTimeZone(name: string | null | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name ?? 'UTC' }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

export function toSettings(field: z.output<typeof customField>, timeZone: string): CustomFieldSettings {
  const { typeId } = field;
  if (typeId === (CustomFieldType.Numeric as number)) {
    const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
    const { initialValue = null, unit = null } = field;
    return { min: number(field.min), max: number(field.max), initialValue, unit };
  }
  if (typeId === (CustomFieldType.Date as number)) {
    const day = (value: unknown): string | null =>
      typeof value === 'string' ? toDay(value, timeZone) : null;
    const initial = field.initialDate;
    return {
      min: day(field.min),
      max: day(field.max),
      initialDate: initial
        ? { id: initial.id as InitialDateKind, date: day(initial.date), shift: initial.shift ?? null }
        : null,
    };
  }
  if (!isListType(typeId)) return {};
  return { allowInput: field.allowInput, allowAddItem: field.allowAddItem };
}

/** Returns the value of a custom field with the items that it names; undefined for none. */
export function toCustomValue(
  { id: customFieldId, fieldTypeId, value, otherValue }: WireCustomValue,
  timeZone: string,
): { value: SourceCustomValue; items: z.output<typeof itemValue>[] } | undefined {
  const none = { customFieldId, text: null, number: null, date: null, other: null, itemIds: [] };
  const other =
    allowsOtherValue(fieldTypeId) && typeof otherValue === 'string' && otherValue !== '' ? otherValue : null;
  if (isListType(fieldTypeId)) {
    const elements: unknown[] = Array.isArray(value) ? value : [value];
    const items = elements.flatMap((element) => {
      const parsed = itemValue.safeParse(element);
      return parsed.success ? [parsed.data] : [];
    });
    const chosen = allowsMany(fieldTypeId) ? items : items.slice(0, 1);
    if (chosen.length === 0 && other === null) return undefined;
    return { value: { ...none, other, itemIds: chosen.map(({ id }) => id) }, items: chosen };
  }
  if (value === null || value === undefined || value === '') return undefined;
  if (isTextType(fieldTypeId)) {
    return { value: { ...none, text: typeof value === 'string' ? value : JSON.stringify(value) }, items: [] };
  }
  if (fieldTypeId === (CustomFieldType.Date as number)) {
    const date = typeof value === 'string' ? toDay(value, timeZone) : null;
    return date === null ? undefined : { value: { ...none, date }, items: [] };
  }
  const number = Number(value);
  return Number.isFinite(number) ? { value: { ...none, number }, items: [] } : undefined;
}

export const toChangeLog = (comment: WireComment): ChangeLogEntry[] =>
  comment.changeLog.map(({ attachmentInfo, attributeInfo, notificationInfo, ...entry }) => ({
    ...entry,
    attachmentInfo: attachmentInfo?.id ? { id: attachmentInfo.id, name: attachmentInfo.name } : null,
    attributeInfo: attributeInfo?.id
      ? { id: attributeInfo.id, typeId: String(attributeInfo.typeId ?? '') }
      : null,
    notificationInfo: notificationInfo ?? null,
  }));

export const toStar = ({ presenter: _, ...star }: WireStar, presenterId: number): SourceStar => ({
  ...star,
  presenterId,
});

export const toNotification = (
  { user: _, reason, ...notification }: WireComment['notifications'][number],
  userId: number,
): SourceNotification => ({
  ...notification,
  userId,
  reason: REASONS.has(reason) ? reason : NotificationReason.Other,
});
