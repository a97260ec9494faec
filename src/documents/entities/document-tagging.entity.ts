import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { DocumentTag } from './document-tag.entity';
import { Document } from './document.entity';

/** The assignment of a tag to a document. */
@Entity('document_tagging', tableOptions)
export class DocumentTagging {
  @PrimaryForeignKey()
  documentId: number;

  @ManyToOne(() => Document, { onDelete: 'CASCADE' })
  document?: Document;

  @Index()
  @PrimaryForeignKey()
  tagId: number;

  @ManyToOne(() => DocumentTag, { onDelete: 'CASCADE' })
  tag?: DocumentTag;
}
