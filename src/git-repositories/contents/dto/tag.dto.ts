import { ApiProperty } from '@nestjs/swagger';
import { NullableProperty } from '../../../openapi/properties';
import { CommitPersonDto } from './commit.dto';
import { HashProperty } from './hash-property';

/** A tag of a git repository. */
export class TagDto {
  @ApiProperty({ description: 'Without `refs/tags/`.', example: 'v1.0.0' })
  name: string;

  @HashProperty({
    nullable: true,
    description: 'The hash of the commit that it names; null when it names something else.',
  })
  commit: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The message of an annotated tag, of which at most 8 KiB are shown; null for a tag that has none.',
    example: 'The first release',
  })
  message: string | null;

  @NullableProperty(() => CommitPersonDto, {
    description: 'Who has made an annotated tag; null for a tag that does not say.',
  })
  tagger: CommitPersonDto | null;
}
