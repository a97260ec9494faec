import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';

/** The formats of a project's texts. */
export const TEXT_FORMATTING_RULES = ['backlog', 'markdown'] as const;

/** A project in the API. */
export class ProjectDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ description: 'The prefix of the issue keys.', example: 'DEMO' })
  projectKey: string;

  @ApiProperty({ example: 'Demo project' })
  name: string;

  @ApiProperty({ example: false })
  chartEnabled: boolean;

  @ApiProperty({ example: false })
  useResolvedForChart: boolean;

  @ApiProperty({ example: true })
  subtaskingEnabled: boolean;

  @ApiProperty({ example: false })
  grandchildIssueEnabled: boolean;

  @ApiProperty({ example: false })
  projectLeaderCanEditProjectLeader: boolean;

  @ApiProperty({ example: true })
  useWiki: boolean;

  @ApiProperty({ example: false })
  useDocument: boolean;

  @ApiProperty({ example: false })
  useFileSharing: boolean;

  @ApiProperty({ example: true })
  useWikiTreeView: boolean;

  @ApiProperty({ example: false })
  useSubversion: boolean;

  @ApiProperty({ example: true })
  useGit: boolean;

  @ApiProperty({ example: false })
  useOriginalImageSizeAtWiki: boolean;

  @ApiProperty({ example: false })
  useDevAttributes: boolean;

  @ApiProperty({ enum: TEXT_FORMATTING_RULES, example: 'markdown' })
  textFormattingRule: string;

  @ApiProperty({
    description: 'Whether the project is marked as archived. The mark restricts no operations.',
    example: false,
  })
  archived: boolean;

  @ApiProperty({ type: 'integer', format: 'int32', example: 0 })
  displayOrder: number;
}
