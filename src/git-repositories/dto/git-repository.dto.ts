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

  @ApiProperty({ description: 'Empty when there is none.', example: '' })
  description: string;

  @ApiProperty({ type: String, nullable: true, description: 'Always null.', example: null })
  hookUrl: null;

  @ApiProperty({ example: 'http://localhost:3000/git/DEMO/demo.git' })
  httpUrl: string;

  @ApiProperty({ example: 'git@localhost:/DEMO/demo.git' })
  sshUrl: string;

  @DisplayOrderProperty({ example: 0 })
  displayOrder: number;

  @TimestampProperty({
    nullable: true,
    description: 'Of the last push; null before the first.',
    example: null,
  })
  pushedAt: string | null;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  updatedUser: UserDto;

  @TimestampProperty({ description: 'Of the last change of its settings. Pushes change `pushedAt` alone.' })
  updated: string;
}
