/** One change that a comment records, in display texts (`docs/decisions/0024-change-logs.md`). */
export interface ChangeLogEntry {
  field: string;
  newValue: string;
  originalValue: string;
  attachmentInfo: { id: number; name: string } | null;
  attributeInfo: { id: number; typeId: string } | null;
  notificationInfo: { type: string } | null;
}

/** The entry for a changed field; values are display texts, empty where there is no value. */
export const change = (field: string, newValue: string, originalValue: string): ChangeLogEntry => ({
  field,
  newValue,
  originalValue,
  attachmentInfo: null,
  attributeInfo: null,
  notificationInfo: null,
});

/** The entry for a file attached with a comment. */
export const attachmentChange = (attachment: { id: number; name: string }): ChangeLogEntry => ({
  ...change('attachment', attachment.name, ''),
  attachmentInfo: { id: attachment.id, name: attachment.name },
});

/** The entry for a removed file. */
export const attachmentRemoval = (attachment: { id: number; name: string }): ChangeLogEntry => ({
  ...change('attachment', '', attachment.name),
  attachmentInfo: { id: attachment.id, name: attachment.name },
});

/** The entry for a shared file that has been linked. */
export const sharedFileChange = ({ dir, name }: { dir: string; name: string }): ChangeLogEntry =>
  change('sharedFile', dir + name, '');

/** The entry for a shared file whose link has been removed. */
export const sharedFileRemoval = ({ dir, name }: { dir: string; name: string }): ChangeLogEntry =>
  change('sharedFile', '', dir + name);

const notificationEntry =
  (type: string) =>
  (user: { name: string }): ChangeLogEntry => ({
    ...change('notification', user.name, ''),
    notificationInfo: { type },
  });

/** The entry for a user notified of an issue comment. */
export const notificationChange = notificationEntry('issue.comment');

/** The entry for a user notified of an issue's update. */
export const issueUpdateNotificationChange = notificationEntry('issue.update');

/** The entry for a user notified of a pull request comment. */
export const pullRequestNotificationChange = notificationEntry('pullRequest.comment');

/** The entry for a user notified of a pull request's update. */
export const pullRequestUpdateNotificationChange = notificationEntry('pullRequest.update');

/** The entry for a user notified of a comment on a document. */
export const documentNotificationChange = notificationEntry('document.comment');
