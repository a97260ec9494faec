import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../openapi/properties';
import { IssueDto } from './issue.dto';

/** An issue that the caller has viewed. */
export class RecentlyViewedIssueDto {
  @ApiProperty({ type: IssueDto })
  issue: IssueDto;

  @TimestampProperty({ description: 'Time at which the caller last viewed the issue.' })
  updated: string;
}
