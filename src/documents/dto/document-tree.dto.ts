import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { StatusIdProperty, UidProperty } from './document.dto';

/** A document in the tree, with its descendants. */
export class DocumentNodeDto {
  @UidProperty()
  id: string;

  @ApiProperty({ description: 'The title.', example: 'Releases' })
  name: string;

  @ApiProperty({ type: () => [DocumentNodeDto], example: [] })
  children: DocumentNodeDto[];

  @StatusIdProperty('1 for active documents, 2 for documents in the trash.', 1)
  statusId: number;

  @ApiProperty({ description: 'The emoji; empty if there is none.', example: '🚀' })
  emoji: string;

  @ApiProperty({ description: '`unicode`, or empty if there is no emoji.', example: 'unicode' })
  emojiType: string;

  @TimestampProperty()
  updated: string;
}

/** The top-level documents with their descendants. */
export class DocumentSubtreeDto {
  @ApiProperty({ enum: ['Active', 'Trash'], example: 'Active' })
  id: string;

  @ApiProperty({ type: [DocumentNodeDto] })
  children: DocumentNodeDto[];
}

/** The tree of all documents of a project. */
export class DocumentTreeDto {
  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ type: DocumentSubtreeDto })
  activeTree: DocumentSubtreeDto;

  @ApiProperty({ type: DocumentSubtreeDto, example: { id: 'Trash', children: [] } })
  trashTree: DocumentSubtreeDto;
}
