import { BooleanField, IdField, TextField } from '../../http/request/fields';
import { DocumentContentField } from './document-content-field';
import { UidField } from './document-id-field';

/** Body of a request that adds a document. */
export class AddDocumentDto {
  @IdField({ description: 'The project that it belongs to.', example: 1 })
  projectId: number;

  @TextField({
    description: 'What it is called.',
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
    description: 'The document that it is below; at the top without.',
    optional: true,
    nullable: true,
    example: null,
  })
  parentId: string | null = null;

  @BooleanField({
    description: 'It is the last of those below the same document, and not the first.',
    optional: true,
    default: false,
    example: true,
  })
  addLast = false;
}
