import { Entity, Index, ManyToOne } from 'typeorm';
import { Attached } from '../../attachments/entities/attached.entity';
import { BigIntColumn, tableOptions } from '../../database/schema/columns';
import { Document } from './document.entity';

/** A file attached to a document. */
@Entity('document_attachment', tableOptions)
export class DocumentAttachment extends Attached {
  @Index()
  @BigIntColumn()
  documentId: number;

  @ManyToOne(() => Document, { onDelete: 'CASCADE' })
  document?: Document;
}
