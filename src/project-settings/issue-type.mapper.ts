import { type IssueTypeRow } from './data/issue-type.repository';
import { type IssueTypeDto } from './dto/issue-type.dto';

/** An issue type as the wire shows it; templates that are not set are left out. */
export const toIssueTypeDto = (issueType: IssueTypeRow): IssueTypeDto => ({
  id: issueType.id,
  projectId: issueType.projectId,
  name: issueType.name,
  color: issueType.color,
  displayOrder: issueType.displayOrder,
  ...(issueType.templateSummary !== null && { templateSummary: issueType.templateSummary }),
  ...(issueType.templateDescription !== null && { templateDescription: issueType.templateDescription }),
});
