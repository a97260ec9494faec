import { InvalidArgumentError } from 'commander';
import { COMMAND_LINE } from '../../audit-log/actor';
import { bindRequest } from '../../http/request/request-dto.pipe';
import { ProjectsService } from '../../projects/projects.service';
import { ApiKeyAdministrationService } from '../../users/api-key-administration.service';
import { AddApiKeyDto } from '../../users/dto/add-api-key.dto';
import { type ApiKeyDto } from '../../users/dto/api-key.dto';
import { type CommandCall, CommandError, type CommandFile } from '../command';
import { findAccount, findProjectIds, itemsOf, withUsers } from '../users';

interface JsonOption {
  json?: true;
}

interface NewKeyOptions extends JsonOption {
  name: string;
  scopes?: string;
  projects?: string;
  agent?: string;
  expires?: string;
}

const USER = 'the login name of the user';

export const configure: CommandFile['configure'] = (command, call) => {
  command
    .command('add')
    .description('add an API key and print it; it is not shown again')
    .argument('<user>', USER)
    .option('--name <name>', 'the purpose of the key', 'Added by pms')
    .option(
      '--scopes <scopes>',
      'what the key may do, such as read,write:issues (default: whatever the user may)',
    )
    .option(
      '--projects <projects>',
      'the only projects that the key reaches, such as DEMO,WEB (default: all of the user)',
    )
    .option(
      '--agent <name>',
      'the AI agent that uses the key, such as "Claude Code" (default: the user does)',
    )
    .option('--expires <time>', 'when the key expires, such as 2030-12-31T00:00:00Z (default: never)')
    .option('--json', 'print JSON')
    .action((userId: string, options: NewKeyOptions) => add(call, userId, options));
  command
    .command('list')
    .description('list the API keys of a user, without the keys themselves')
    .argument('<user>', USER)
    .option('--json', 'print JSON')
    .action((userId: string, options: JsonOption) => list(call, userId, options));
  command
    .command('revoke')
    .description('revoke an API key, which stops working within five seconds')
    .argument('<user>', USER)
    .argument('<id>', 'the id of the key, as shown by pms key list', readId)
    .action((userId: string, keyId: number) => revoke(call, userId, keyId));
};

function add(call: CommandCall, userId: string, options: NewKeyOptions): Promise<void> {
  const { name, scopes, projects, agent, expires } = options;
  const { output } = call;
  return withUsers(call, 'writes', async (services) => {
    const user = await findAccount(services, userId);
    const body = bindRequest(AddApiKeyDto, {
      name,
      ...(scopes !== undefined && { scopes: itemsOf(scopes) }),
      ...(projects !== undefined && { projectIds: await findProjectIds(services, projects) }),
      ...(agent !== undefined && { agent }),
      ...(expires !== undefined && { expires }),
    });
    const added = await services(ApiKeyAdministrationService).add(COMMAND_LINE, user.id, body);
    // Only the key, so that a script can store it in a variable.
    if (options.json) output.printJson(added);
    else output.print(added.key);
    output.note(`Key ${added.id} of the user ${userId}. It is not shown again.`);
    if (user.disabled) {
      output.note(`${userId} is disabled: the key works after the command pms user enable ${userId}.`);
    }
  });
}

const list = (call: CommandCall, userId: string, { json }: JsonOption): Promise<void> =>
  withUsers(call, 'reads', async (services) => {
    const { id } = await findAccount(services, userId);
    const keys = await services(ApiKeyAdministrationService).list(id);
    if (json) call.output.printJson(keys);
    else if (keys.length === 0) call.output.note(`${userId} has no API keys.`);
    else {
      const projects = await services(ProjectsService).findSummaries(
        keys.flatMap(({ projectIds }) => projectIds ?? []),
      );
      call.output.printTable(keys.map((key) => toRow(key, projects)));
    }
  });

const revoke = (call: CommandCall, userId: string, keyId: number): Promise<void> =>
  withUsers(call, 'writes', async (services) => {
    const { id } = await findAccount(services, userId);
    const administration = services(ApiKeyAdministrationService);
    if (!(await administration.list(id)).some((key) => key.id === keyId)) {
      throw new CommandError(`${userId} has no API key ${keyId}. See pms key list ${userId}.`);
    }
    await administration.remove(COMMAND_LINE, keyId, id);
    call.output.print(`Revoked the key ${keyId} of the user ${userId}.`);
  });

const toRow = (
  { id, name, scopes, projectIds, agent, created, expires, lastUsed }: ApiKeyDto,
  projects: ReadonlyMap<number, { projectKey: string }>,
) => ({
  ID: id,
  Name: name,
  Scopes: scopes?.join(',') ?? 'unlimited',
  Projects: projectIds?.map((project) => projects.get(project)?.projectKey ?? project).join(',') ?? 'all',
  Agent: agent ?? '',
  Created: created,
  Expires: expires ?? 'never',
  'Last used': lastUsed ?? 'never',
});

function readId(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}
