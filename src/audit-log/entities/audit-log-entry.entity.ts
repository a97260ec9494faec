import { Column, Entity, Index } from 'typeorm';
import { BigIntColumn, JsonColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { type Agent } from '../../access/agent';
import { type AuditChange } from '../audit-changes';

/**
 * A change that an administrator may have to account for. It has no foreign keys, so that it outlives the entities that it names
 * (`docs/decisions/0030-audit-log.md`).
 */
@Entity('audit_log_entry', tableOptions)
@Index(['created'])
@Index(['actorId', 'id'])
@Index(['action', 'id'])
export class AuditLogEntry {
  @PrimaryId()
  id: number;

  /** Milliseconds since 1970. */
  @BigIntColumn()
  created: number;

  /** Null for a command on the service's machine. */
  @BigIntColumn({ nullable: true })
  actorId: number | null;

  @Column({ type: 'varchar', length: 255 })
  actorName: string;

  /** The agent that acted for the user; null if the user did. */
  @JsonColumn({ nullable: true })
  agent: Agent | null;

  @Column({ type: 'varchar', length: 64, nullable: true })
  address: string | null;

  /** One of `AUDIT_ACTIONS`. */
  @Column({ type: 'varchar', length: 50 })
  action: string;

  @BigIntColumn()
  subjectId: number;

  @Column({ type: 'varchar', length: 255 })
  subjectName: string;

  @BigIntColumn({ nullable: true })
  projectId: number | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  projectKey: string | null;

  @JsonColumn()
  changes: AuditChange[];
}
