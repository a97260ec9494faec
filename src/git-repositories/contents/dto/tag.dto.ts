import { ApiProperty } from '@nestjs/swagger';
import { NullableProperty } from '../../../openapi/properties';
import { CommitPersonDto } from './commit.dto';
import { HashProperty } from './hash-property';

/** A tag of a git repository. */
export class TagDto {
  @ApiProperty({ description: 'The name, without `refs/tags/`.', example: 'v1.0.0' })
  name: string;

  @HashProperty({
    nullable: true,
    description: 'Hash of the tagged commit; null if the tag refers to something else.',
  })
  commit: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The message of an annotated tag, truncated to 8 KiB; null if there is none.',
    example: 'The first release',
  })
  message: string | null;

  @NullableProperty(() => CommitPersonDto, {
    description: 'The creator of an annotated tag; null if the tag does not name one.',
  })
  tagger: CommitPersonDto | null;
}
