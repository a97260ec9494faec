import { PartialDto } from '../../http/request/partial-dto';
import { AddIssueTypeDto } from './add-issue-type.dto';

/** Body of an update of an issue type; an empty text removes a template. */
export class UpdateIssueTypeDto extends PartialDto(AddIssueTypeDto, {
  nullable: ['templateSummary', 'templateDescription'],
}) {}
