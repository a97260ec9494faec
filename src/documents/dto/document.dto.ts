import { ApiProperty } from '@nestjs/swagger';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { UID } from '../uid';
import { DocumentTagDto } from './document-tags.dto';

/** The id of the demo project's document. */
export const UID_EXAMPLE = '019a8f2f6c0070008000000000000001';

/** Declares the id of a document or of a comment on one. */
export const UidProperty = (options: { description?: string; example?: string } = {}): PropertyDecorator =>
  ApiProperty({ type: 'string', pattern: UID.source, example: UID_EXAMPLE, ...options });

export const StatusIdProperty = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', format: 'int32', description, example });

/** A document. */
export class DocumentDto {
  @UidProperty()
  id: string;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ example: 'Releases' })
  title: string;

  @ApiProperty({ description: 'The content, without formatting.', example: 'Releases\nOn Mondays.' })
  plain: string;

  @ApiProperty({
    description: "The content, as JSON of the editor's document (ProseMirror).",
    example:
      '{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"On Mondays."}]}]}',
  })
  json: string;

  @StatusIdProperty('1 for active documents, 2 for documents in the trash.', 1)
  statusId: number;

  @ApiProperty({ type: 'string', nullable: true, example: '🚀' })
  emoji: string | null;

  @ApiProperty({ type: [AttachedFileDto] })
  attachments: AttachedFileDto[];

  @ApiProperty({ type: [DocumentTagDto] })
  tags: DocumentTagDto[];

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({
    type: UserDto,
    example: ADMINISTRATOR_EXAMPLE,
    description: 'The user who last changed the document.',
  })
  updatedUser: UserDto;

  @TimestampProperty({ description: 'Time of the last change.' })
  updated: string;

  @ApiProperty({
    type: [String],
    description: 'Ids of the direct child documents, in order, excluding those in the trash.',
    example: [],
  })
  childDocumentIds: string[];
}
