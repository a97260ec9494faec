import { ApiProperty } from '@nestjs/swagger';
import { DisplayOrderProperty, IdProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

/** A git repository of a project. */
export class GitRepositoryDto {
  @IdProperty({ example: 1 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ example: 'demo' })
  name: string;

  @ApiProperty({ description: 'The description; empty if there is none.', example: '' })
  description: string;

  @ApiProperty({ type: String, nullable: true, description: 'Always null.', example: null })
  hookUrl: null;

  @ApiProperty({
    description: 'The URL for `git clone`, if the server has git.',
    example: 'http://localhost:3000/git/DEMO/demo.git',
  })
  httpUrl: string;

  @ApiProperty({ example: 'git@localhost:/DEMO/demo.git' })
  sshUrl: string;

  @DisplayOrderProperty({ example: 0 })
  displayOrder: number;

  @TimestampProperty({
    nullable: true,
    description: 'Time of the last push; null before the first.',
    example: null,
  })
  pushedAt: string | null;

  @ApiProperty({
    description: 'The branch that a clone checks out. Specific to this service.',
    example: 'main',
  })
  defaultBranch: string;

  @ApiProperty({
    description:
      'Whether the default branch is protected against deletion and pushes that rewrite it. Specific to this service.',
    example: true,
  })
  protectsDefaultBranch: boolean;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  updatedUser: UserDto;

  @TimestampProperty({
    description: 'Time of the last change of the settings. Pushes only change `pushedAt`.',
  })
  updated: string;
}
