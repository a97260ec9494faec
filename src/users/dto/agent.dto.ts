import { ApiProperty } from '@nestjs/swagger';
import { type Agent } from '../../access/agent';
import { IdProperty } from '../../openapi/properties';

/** An AI agent that acted for a user. */
export class AgentDto implements Agent {
  @ApiProperty({ description: 'The name of the agent.', example: 'Claude Code' })
  name: string;

  @IdProperty({ description: 'The API key of the agent, which may have been revoked.', example: 5 })
  keyId: number;

  @ApiProperty({ description: 'The name of the API key.', example: 'Laptop' })
  keyName: string;
}

/** The agent that made a change for its author, in the response for the change; absent if the author made it. */
export const AgentProperty = (): PropertyDecorator =>
  ApiProperty({
    type: AgentDto,
    required: false,
    description: 'The AI agent that did this for the user; absent if the user did it.',
  });
