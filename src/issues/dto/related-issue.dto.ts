import { ApiProperty } from '@nestjs/swagger';
import { IdField } from '../../http/request/fields';
import { IssueDto } from './issue.dto';

/** An issue related to another. */
export class RelatedIssueDto extends IssueDto {
  @ApiProperty({ description: 'The type of the relation.', enum: ['RELATES'], example: 'RELATES' })
  type: 'RELATES';
}

/** Body of a request that relates an issue to another. */
export class AddRelatedIssueDto {
  @IdField({ description: 'The other issue, in any project that the caller may see.', example: 2 })
  targetIssueId: number;
}
