import {
  type ActivityChange,
  type ActivityContents,
  type Named,
  toActivityUser,
} from '../activities/activity-content';
import { type ActivityType } from '../activities/activity-type';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { type IssueDto } from './dto/issue.dto';
import { toIssueHead } from './issue.mapper';

/** An issue as its activities tell of it. */
export interface DescribedIssue {
  id: number;
  keyId: number;
  summary: string;
  description: string;
}

/** Content of the activities about an issue's comment and what it tells of, in the family's names (2, 3 and 17). */
export const issueCommentActivity = (
  issue: DescribedIssue,
  comment: { id: number; content: string },
  changes: ActivityChange[],
  attachments: AttachmentDto[] = [],
): ActivityContents[ActivityType.IssueCommented] => ({
  ...toIssueHead(issue),
  comment: { id: comment.id, content: comment.content },
  changes,
  attachments,
  shared_files: [],
  external_file_links: [],
});

/** Content of the activity about a new issue (1). */
export const createdIssueActivity = (issue: IssueDto): ActivityContents[ActivityType.IssueCreated] => ({
  ...toIssueHead(issue),
  issueType: toNamed(issue.issueType),
  status: toNamed(issue.status),
  priority: toNamed(issue.priority),
  resolution: issue.resolution && toNamed(issue.resolution),
  assignee: issue.assignee && toActivityUser(issue.assignee),
  category: issue.category.map(toNamed),
  versions: issue.versions.map(toNamed),
  milestone: issue.milestone.map(toNamed),
  customFields: [],
  parentIssueId: issue.parentIssueId,
  startDate: toDay(issue.startDate),
  dueDate: toDay(issue.dueDate),
  estimatedHours: issue.estimatedHours,
  actualHours: issue.actualHours,
});

const toNamed = ({ id, name }: Named): Named => ({ id, name });

/** `yyyy-MM-dd`, or nothing. */
const toDay = (date: string | null): string => date?.slice(0, 10) ?? '';
