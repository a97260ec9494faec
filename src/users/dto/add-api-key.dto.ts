import { type Scope, SCOPES } from '../../access/scopes';
import { EnumListField, IdListField, TextField, TimeField } from '../../http/request/fields';

/** Maximum number of projects of a key. */
const MAX_PROJECTS = 50;

/** Body of `POST /users/{userId}/apiKeys`. */
export class AddApiKeyDto {
  @TextField({
    description: 'The purpose of the key.',
    min: 1,
    max: 255,
    trim: true,
    example: 'Continuous integration',
  })
  name: string;

  @EnumListField({
    description:
      'What the key may do: `read` or `write` in all areas or in one, such as `read:issues`, and `admin` for the rights of an Administrator, without which the key has those of a normal user. `write` includes `read`. Without this field, the key may do whatever its user may. A key with scopes can add only keys with some of these.',
    values: SCOPES,
    min: 1,
    optional: true,
    example: ['read', 'write:issues'],
  })
  scopes?: Scope[];

  @IdListField({
    description:
      'The only projects that the key reaches: the user must be a member of them. Such a key sees only content and people of these projects, has no rights of an Administrator, and changes nothing outside the projects. Without this field, the key reaches all projects of its user. A key limited to projects can add only keys limited to some of these.',
    min: 1,
    max: MAX_PROJECTS,
    optional: true,
    example: [1],
  })
  projectIds?: number[];

  @TextField({
    description:
      'The name of the AI agent that uses the key on behalf of its user. Comments, activities and the audit log show what the agent did as its work, with the name of the key. A key of an agent can add only keys of the same agent.',
    min: 1,
    max: 100,
    trim: true,
    optional: true,
    example: 'Claude Code',
  })
  agent?: string;

  @TimeField({
    description:
      'The time from which the key is refused; without this field, never. A key that expires can add only keys that expire no later.',
    optional: true,
    example: '2030-12-31T00:00:00Z',
  })
  expires?: Date;
}
