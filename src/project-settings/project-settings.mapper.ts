import { type IssueTypeDto } from './dto/issue-type.dto';
import { type StatusDto } from './dto/status.dto';
import { type IssueStatus } from './entities/issue-status.entity';
import { type IssueType } from './entities/issue-type.entity';

/** An issue type as the wire shows it; templates that are not set are left out. */
export const toIssueTypeDto = (issueType: Omit<IssueType, 'nameKey'>): IssueTypeDto => ({
  id: issueType.id,
  projectId: issueType.projectId,
  name: issueType.name,
  color: issueType.color,
  displayOrder: issueType.displayOrder,
  ...(issueType.templateSummary !== null && { templateSummary: issueType.templateSummary }),
  ...(issueType.templateDescription !== null && { templateDescription: issueType.templateDescription }),
});

/** A status as the wire shows it. */
export const toStatusDto = (status: Omit<IssueStatus, 'nameKey' | 'standard'>): StatusDto => ({
  id: status.id,
  projectId: status.projectId,
  name: status.name,
  color: status.color,
  displayOrder: status.displayOrder,
});
