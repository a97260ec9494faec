import { type IssueTypeRow } from './data/issue-type.repository';
import { type IssueTypeDto } from './dto/issue-type.dto';

/** Maps an issue type row to its API representation; unset templates are omitted. */
export const toIssueTypeDto = (issueType: IssueTypeRow): IssueTypeDto => ({
  id: issueType.id,
  projectId: issueType.projectId,
  name: issueType.name,
  color: issueType.color,
  displayOrder: issueType.displayOrder,
  ...(issueType.templateSummary !== null && { templateSummary: issueType.templateSummary }),
  ...(issueType.templateDescription !== null && { templateDescription: issueType.templateDescription }),
});
