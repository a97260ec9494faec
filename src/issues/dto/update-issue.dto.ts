import { IdField, NumericEnumField, TextField } from '../../http/request/fields';
import { type NamedValues } from '../../http/request/named-values';
import { PartialDto } from '../../http/request/partial-dto';
import { IssueFieldsDto } from './add-issue.dto';
import { CustomFieldValuesField } from './custom-field-values-field';

/** Body of `PATCH /issues/{issueIdOrKey}`. */
export class UpdateIssueDto extends PartialDto(IssueFieldsDto) {
  @IdField({
    description: 'A status of the project: 1 Open, 2 In Progress, 3 Resolved, 4 Closed, or an added one.',
    optional: true,
    example: 2,
  })
  statusId?: number;

  @NumericEnumField({
    description: "0 Fixed, 1 Won't fix, 2 Invalid, 3 Duplicate, 4 Cannot reproduce.",
    codes: [0, 1, 2, 3, 4],
    optional: true,
    nullable: true,
    example: 0,
  })
  resolutionId?: number | null;

  @TextField({
    description: 'Text of the comment that records the change. If omitted or empty, the comment has no text.',
    max: 50_000,
    optional: true,
    example: 'Found it.',
  })
  comment?: string;

  @CustomFieldValuesField()
  readonly customFields: NamedValues = new Map();
}
