import { PartialDto } from '../../http/request/partial-dto';
import { AddIssueTypeDto } from './add-issue-type.dto';

/** The changes of an issue type; an empty template removes it. */
export class UpdateIssueTypeDto extends PartialDto(AddIssueTypeDto, {
  nullable: ['templateSummary', 'templateDescription'],
}) {}
