import { ApiProperty } from '@nestjs/swagger';
import { IdField } from '../../http/request/fields';
import { TimestampProperty } from '../../openapi/properties';
import { WikiSummaryDto } from './wiki.dto';

/** A wiki page that the caller has viewed. */
export class RecentlyViewedWikiDto {
  @ApiProperty({ type: WikiSummaryDto })
  page: WikiSummaryDto;

  @TimestampProperty({ description: 'Time at which the caller last viewed the page.' })
  updated: string;
}

/** Body of a request that records a view of a wiki page by the caller. */
export class AddRecentlyViewedWikiDto {
  @IdField({ description: 'The wiki page.', example: 1 })
  wikiId: number;
}
