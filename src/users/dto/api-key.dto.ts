import { ApiProperty } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../../access/scopes';
import { IdProperty, TimestampProperty } from '../../openapi/properties';

/** An API key in lists: without the key itself, of which only a hash is stored. */
export class ApiKeyDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'Continuous integration' })
  name: string;

  @ApiProperty({
    description: 'What the key may do; null if it may do whatever its user may.',
    enum: SCOPES,
    isArray: true,
    nullable: true,
    example: ['read', 'write:issues'],
  })
  scopes: Scope[] | null;

  @ApiProperty({
    description: 'Ids of the only projects that the key reaches; null if it reaches all of its user.',
    type: 'array',
    items: { type: 'integer', format: 'int64' },
    nullable: true,
    example: [1],
  })
  projectIds: number[] | null;

  @ApiProperty({
    type: String,
    description: 'The name of the AI agent that uses the key; null if its user does.',
    nullable: true,
    example: 'Claude Code',
  })
  agent: string | null;

  @TimestampProperty()
  created: string;

  @TimestampProperty({
    description: 'Time from which the key is refused; null if never.',
    nullable: true,
  })
  expires: string | null;

  @TimestampProperty({
    description: 'Time of the last use, updated at most once a minute; null until the first use.',
    nullable: true,
  })
  lastUsed: string | null;
}

/** A new API key. */
export class NewApiKeyDto extends ApiKeyDto {
  @ApiProperty({
    description: 'The key itself, shown only once.',
    example: 'pms_EXAMPLEkeyEXAMPLEkeyEXAMPLEkeyEXAMPLEkeyEXAMPLEkey12',
  })
  key: string;
}
