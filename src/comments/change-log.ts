/** One change that a comment tells of (spec, section 2.3; decisions, section 4). Values are display texts. */
export interface ChangeLogEntry {
  field: string;
  newValue: string;
  originalValue: string;
  attachmentInfo: { id: number; name: string } | null;
  attributeInfo: { id: number; typeId: string } | null;
  notificationInfo: { type: string } | null;
}

/** The entry for a file attached with a comment. */
export const attachmentChange = (attachment: { id: number; name: string }): ChangeLogEntry => ({
  field: 'attachment',
  newValue: attachment.name,
  originalValue: '',
  attachmentInfo: { id: attachment.id, name: attachment.name },
  attributeInfo: null,
  notificationInfo: null,
});

/** The entry for a user notified of an issue comment. */
export const notificationChange = (user: { name: string }): ChangeLogEntry => ({
  field: 'notification',
  newValue: user.name,
  originalValue: '',
  attachmentInfo: null,
  attributeInfo: null,
  notificationInfo: { type: 'issue.comment' },
});
