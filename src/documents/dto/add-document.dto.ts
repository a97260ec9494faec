import { BooleanField, IdField, TextField } from '../../http/request/fields';
import { DocumentContentField } from './document-content-field';
import { UidField } from './document-id-field';

/** Body of a request that adds a document. */
export class AddDocumentDto {
  @IdField({ description: 'The project of the document.', example: 1 })
  projectId: number;

  @TextField({
    description: 'The title.',
    max: 255,
    trim: true,
    optional: true,
    example: 'Releases',
  })
  title = '';

  @DocumentContentField()
  content = '';

  @TextField({
    description: 'An emoji shown beside the title.',
    max: 32,
    trim: true,
    optional: true,
    nullable: true,
    example: '🚀',
  })
  emoji: string | null = null;

  @UidField({
    description: 'The parent document; none for the top level.',
    optional: true,
    nullable: true,
    example: null,
  })
  parentId: string | null = null;

  @BooleanField({
    description: 'Whether to place the document after its siblings instead of before them.',
    optional: true,
    default: false,
    example: true,
  })
  addLast = false;
}
