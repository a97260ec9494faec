import { type ActivityChange, type Named, NO_VALUE, toActivityUser } from '../activities/activity-content';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { type IssueDto } from './dto/issue.dto';
import { type ActivityIssueType, type IssueChangeContent, type IssueContent } from './issue-activity-samples';
import { valuesOf } from './issue-fields';
import { type IssueHeadRow, toIssueHead } from './issue.mapper';

/** Returns the content of activities about a comment and the changes that it describes (2, 3 and 17). */
export const issueCommentActivity = (
  issue: IssueHeadRow,
  comment: { id: number; content: string },
  changes: ActivityChange[],
  attachments: AttachmentDto[] = [],
): IssueChangeContent => ({
  ...toIssueHead(issue),
  comment: { id: comment.id, content: comment.content },
  changes,
  attachments,
  shared_files: [],
  external_file_links: [],
});

/** Returns the content of the activity about a new issue (1). */
export const createdIssueActivity = (issue: IssueDto): IssueContent => ({
  ...toIssueHead(issue),
  issueType: toActivityIssueType(issue.issueType),
  status: toNamed(issue.status),
  priority: toNamed(issue.priority),
  resolution: issue.resolution ? toNamed(issue.resolution) : NO_VALUE,
  assignee: issue.assignee && toActivityUser(issue.assignee),
  category: issue.category.map(toNamed),
  versions: issue.versions.map(toNamed),
  milestone: issue.milestone.map(toNamed),
  customFields: issue.customFields,
  parentIssueId: issue.parentIssueId,
  ...valuesOf(issue, toDay),
});

const toNamed = ({ id, name }: Named): Named => ({ id, name });

const toActivityIssueType = ({
  id,
  projectId,
  name,
  color,
  displayOrder,
}: ActivityIssueType): ActivityIssueType => ({ id, projectId, name, color, displayOrder });

/** Returns the date as `yyyy-MM-dd`, or an empty string. */
const toDay = (date: string | null): string => date?.slice(0, 10) ?? '';
