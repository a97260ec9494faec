import { Column, Entity } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';

/**
 * The agent of a key, as its comments and activities show it. Written with the key and never changed, and kept after the key has been
 * revoked.
 */
@Entity('agent', tableOptions)
export class AgentRecord {
  @PrimaryForeignKey()
  keyId: number;

  @Column({ length: 100 })
  name: string;

  @Column({ length: 255 })
  keyName: string;
}
