/** The reasons of notifications, as numbers known to clients. */
export enum NotificationReason {
  Assigned = 1,
  IssueCommented = 2,
  IssueCreated = 3,
  IssueUpdated = 4,
  FileAttached = 5,
  ProjectUserAdded = 6,
  Other = 9,
  PullRequestAssigned = 10,
  PullRequestCommented = 11,
  PullRequestAdded = 12,
  PullRequestUpdated = 13,
  DocumentCommented = 14,
  DocumentCommentReplied = 15,
  MentionedInDocument = 17,
}
