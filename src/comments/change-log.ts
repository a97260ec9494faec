import { isInteger, isText, listOf, nullable, shape } from '../json-shape';

/** A change recorded in a comment, as display texts (`docs/decisions/0009-activities-and-notifications.md#change-logs`). */
export interface ChangeLogEntry {
  field: string;
  newValue: string;
  originalValue: string;
  attachmentInfo: { id: number; name: string } | null;
  attributeInfo: { id: number; typeId: string } | null;
  notificationInfo: { type: string } | null;
}

/** Whether a value is the change log of a comment. */
export const isChangeLog = listOf(
  shape({
    ...{ field: isText, newValue: isText, originalValue: isText },
    attachmentInfo: nullable(shape({ id: isInteger, name: isText })),
    attributeInfo: nullable(shape({ id: isInteger, typeId: isText })),
    notificationInfo: nullable(shape({ type: isText })),
  }),
);

/** Returns the entry for a changed field; values are display texts, empty for no value. */
export const change = (field: string, newValue: string, originalValue: string): ChangeLogEntry => ({
  field,
  newValue,
  originalValue,
  attachmentInfo: null,
  attributeInfo: null,
  notificationInfo: null,
});

/** Returns the entry for a file attached with a comment. */
export const attachmentChange = (attachment: { id: number; name: string }): ChangeLogEntry => ({
  ...change('attachment', attachment.name, ''),
  attachmentInfo: { id: attachment.id, name: attachment.name },
});

/** Returns the entry for a removed file. */
export const attachmentRemoval = (attachment: { id: number; name: string }): ChangeLogEntry => ({
  ...change('attachment', '', attachment.name),
  attachmentInfo: { id: attachment.id, name: attachment.name },
});

/** Returns the entry for a linked shared file. */
export const sharedFileChange = ({ dir, name }: { dir: string; name: string }): ChangeLogEntry =>
  change('sharedFile', dir + name, '');

/** Returns the entry for an unlinked shared file. */
export const sharedFileRemoval = ({ dir, name }: { dir: string; name: string }): ChangeLogEntry =>
  change('sharedFile', '', dir + name);

/** Returns the entries for notified users; `type` names the resource and what happened, such as `issue.comment`. */
export const notificationEntry =
  (type: string) =>
  (user: { name: string }): ChangeLogEntry => ({
    ...change('notification', user.name, ''),
    notificationInfo: { type },
  });
