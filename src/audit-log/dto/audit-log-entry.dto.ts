import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, NullableProperty, TimestampProperty } from '../../openapi/properties';
import { AgentDto } from '../../users/dto/agent.dto';
import { AUDIT_ACTIONS, type AuditAction } from '../audit-action';
import { type AuditChange } from '../audit-changes';

/** A field set by a change. */
export class AuditChangeDto implements AuditChange {
  @ApiProperty({ example: 'roleType' })
  field: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The previous value; null if there was none or it is secret.',
    example: '2',
  })
  from: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The new value; null if there is none or it is secret.',
    example: '1',
  })
  to: string | null;
}

/** An entry of the audit log. All names are as of the change. */
export class AuditLogEntryDto {
  @IdProperty({ example: 7 })
  id: number;

  @TimestampProperty()
  created: string;

  @IdProperty({
    nullable: true,
    description: 'The user who made the change; null for a command run on the host of the service.',
    example: 1,
  })
  actorId: number | null;

  @ApiProperty({ description: "The user's `userId`, or `command line`.", example: 'admin' })
  actorName: string;

  @NullableProperty(() => AgentDto, {
    description: 'The AI agent that made the change for the user; null if the user made it.',
    example: null,
  })
  agent: AgentDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The client's address; null if the change was not made by a request.",
    example: '192.0.2.1',
  })
  address: string | null;

  @ApiProperty({ enum: AUDIT_ACTIONS, example: 'user.update' })
  action: AuditAction;

  @IdProperty({ description: 'Id of the changed object.', example: 2 })
  subjectId: number;

  @ApiProperty({ description: 'Name, key or `userId` of the changed object.', example: 'dana' })
  subjectName: string;

  @IdProperty({ nullable: true, description: 'The project of the changed object.', example: null })
  projectId: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  projectKey: string | null;

  @ApiProperty({
    type: [AuditChangeDto],
    description: 'The recorded changes. Values are truncated to 255 characters.',
  })
  changes: AuditChangeDto[];
}
