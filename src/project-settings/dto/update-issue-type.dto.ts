import { PartialDto } from '../../http/request/partial-dto';
import { AddIssueTypeDto } from './add-issue-type.dto';

/** What of an issue type is to change; an empty template is none. */
export class UpdateIssueTypeDto extends PartialDto(AddIssueTypeDto, {
  nullable: ['templateSummary', 'templateDescription'],
}) {}
