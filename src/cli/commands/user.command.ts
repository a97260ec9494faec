import { Option } from 'commander';
import { RoleType } from '../../access/role-type';
import { COMMAND_LINE } from '../../audit-log/actor';
import { encryptionKeys } from '../../encryption/encryption-keys';
import { EncryptionModule } from '../../encryption/encryption.module';
import { bindRequest } from '../../http/request/request-dto.pipe';
import { PartialDto } from '../../http/request/partial-dto';
import { ImportsModule } from '../../imports/imports.module';
import { UserMergeService } from '../../imports/user-merge.service';
import { AddInvitationsDto } from '../../invitations/dto/add-invitations.dto';
import { InvitationsService } from '../../invitations/invitations.service';
import { AddUserDto } from '../../users/dto/add-user.dto';
import { PasswordLinksService } from '../../sign-in/password-links.service';
import { UserAccountsService, type UserAccount } from '../../users/user-accounts.service';
import { UserAdministrationService } from '../../users/user-administration.service';
import { type CommandCall, type CommandFile } from '../command';
import { requireMailAddress } from '../mail-address';
import { withServices } from '../services';
import { findAccount, findProjectIds, noteMissingAddress, withUsers } from '../users';

/** Roles by their names on the command line. */
const ROLES: Readonly<Record<string, RoleType>> = {
  administrator: RoleType.Administrator,
  normal: RoleType.NormalUser,
  reporter: RoleType.Reporter,
  viewer: RoleType.Viewer,
  'guest-reporter': RoleType.GuestReporter,
  'guest-viewer': RoleType.GuestViewer,
};

interface JsonOption {
  json?: true;
}

interface LinkCommandOptions extends JsonOption {
  withoutSecondFactor?: true;
}

interface NewUserOptions extends JsonOption {
  mail: string;
  role: string;
  name?: string;
}

interface InvitationOptions extends JsonOption {
  role: string;
  projects?: string;
}

/** Fields of a user added by the operator, with the rules of `POST /users`. */
class OperatorUserDto extends PartialDto(AddUserDto, { omit: ['password'] }) {}

export const configure: CommandFile['configure'] = (command, call) => {
  const json = (): Option => new Option('--json', 'print JSON');
  const role = (): Option =>
    new Option('--role <role>', 'role').choices(Object.keys(ROLES)).default('normal');

  command
    .command('add')
    .description('add a user without an API key')
    .argument('<user>', 'the login name')
    .requiredOption('--mail <address>', 'mail address')
    .option('--name <name>', 'the display name (default: the login name)')
    .addOption(role())
    .addOption(json())
    .action((userId: string, options: NewUserOptions) => add(call, userId, options));
  command
    .command('invite')
    .description(
      'print a link for each address, with which that person becomes a user; it works once, within 7 days',
    )
    .argument('<mail...>', 'the mail addresses, up to 100')
    .addOption(role())
    .option('--projects <projects>', 'the projects of which they become members, such as DEMO,WEB')
    .addOption(json())
    .action((mails: string[], options: InvitationOptions) => invite(call, mails, options));
  command
    .command('list')
    .description('list the users')
    .addOption(json())
    .action((options: JsonOption) =>
      withUsers(call, 'reads', async (services) =>
        show(call, await services(UserAccountsService).list(), options),
      ),
    );
  command
    .command('disable')
    .description(
      'disable a user: end their sessions, refuse all API keys, and keep the user and their content',
    )
    .argument('<user>', 'the login name')
    .action((userId: string) => setDisabled(call, userId, true));
  command
    .command('enable')
    .description('enable a disabled user, whose API keys work again')
    .argument('<user>', 'the login name')
    .action((userId: string) => setDisabled(call, userId, false));
  command
    .command('merge')
    .description('join a placeholder, whom an import has added, to the user who they are')
    .argument('<placeholder>', 'the login name of the placeholder, which is removed')
    .argument('<user>', 'the login name of the user')
    .action((from: string, into: string) => merge(call, from, into));
  command
    .command('login-link')
    .description('print a link with which a user sets a password and signs in; it works once, within a day')
    .argument('<user>', 'the login name')
    .option('--without-second-factor', 'the link signs in without a code of the second factor')
    .addOption(json())
    .action((userId: string, options: LinkCommandOptions) => addLink(call, userId, options));
};

function add(
  call: CommandCall,
  userId: string,
  { mail, role, name = userId, ...options }: NewUserOptions,
): Promise<void> {
  const fields = { userId, name, mailAddress: mail, roleType: ROLES[role] };
  const user = bindRequest(OperatorUserDto, fields) as Omit<AddUserDto, 'password'>;
  return withUsers(call, 'writes', async (services) => {
    const added = await services(UserAdministrationService).addByOperator(user);
    show(call, [{ ...added, disabled: false, lastUsed: null }], options);
    call.output.note(
      `Added. To let ${userId} sign in, run pms user login-link ${userId}; for an API key, pms key add ${userId}`,
    );
  });
}

const invite = (
  call: CommandCall,
  mailAddresses: string[],
  { role, projects, json }: InvitationOptions,
): Promise<void> => {
  mailAddresses.forEach(requireMailAddress);
  return withUsers(call, 'writes', async (services) => {
    const body = bindRequest(AddInvitationsDto, {
      mailAddresses,
      roleType: ROLES[role],
      ...(projects !== undefined && { projectIds: await findProjectIds(services, projects) }),
    });
    const added = await services(InvitationsService).addByOperator(body);
    if (json) call.output.printJson(added);
    else for (const { mailAddress, url } of added) call.output.print(`${mailAddress}\t${url}`);
    call.output.note(`Each works once, until ${added[0]?.expires}. They are not shown again.`);
    noteMissingAddress(call, services);
  });
};

const addLink = (
  call: CommandCall,
  userId: string,
  { json, withoutSecondFactor }: LinkCommandOptions,
): Promise<void> =>
  withUsers(call, 'writes', async (services) => {
    const { id, disabled } = await findAccount(services, userId);
    const link = await services(PasswordLinksService).add(COMMAND_LINE, id, { withoutSecondFactor });
    // Only the link, so that a script can send it.
    if (json) call.output.printJson(link);
    else call.output.print(link.url);
    call.output.note(`For the user ${userId}, until ${link.expires}. It is not shown again.`);
    noteMissingAddress(call, services);
    if (disabled) {
      call.output.note(`${userId} is disabled: the link works after the command pms user enable ${userId}.`);
    }
  });

const setDisabled = (call: CommandCall, userId: string, disabled: boolean): Promise<void> =>
  withUsers(call, 'writes', async (services) => {
    const accounts = services(UserAccountsService);
    const { id, disabled: isDisabled } = await findAccount(services, userId);
    if (isDisabled === disabled) {
      call.output.print(`${userId} is already ${disabled ? 'disabled' : 'enabled'}.`);
      return;
    }
    await (disabled ? accounts.disable(COMMAND_LINE, id) : accounts.enable(COMMAND_LINE, id));
    call.output.print(
      disabled
        ? `Disabled ${userId}: their sessions have ended, and their API keys no longer work.`
        : `Enabled ${userId}: their API keys work again.`,
    );
  });

const merge = (call: CommandCall, from: string, into: string): Promise<void> =>
  withServices(
    call,
    'writes',
    (settings) => [EncryptionModule.forRoot(encryptionKeys(settings).keys), ImportsModule],
    async (services) => {
      const [placeholder, user] = [await findAccount(services, from), await findAccount(services, into)];
      await services(UserMergeService).merge(COMMAND_LINE, placeholder.id, user.id);
      call.output.print(`Joined ${from} to ${into}.`);
    },
  );

function show({ output }: CommandCall, users: readonly UserAccount[], { json }: JsonOption): void {
  if (json) {
    output.printJson(users);
    return;
  }
  output.printTable(
    users.map((user) => ({
      ID: user.id,
      User: user.userId,
      Name: user.name,
      Role: Object.keys(ROLES).find((role) => ROLES[role] === user.roleType) ?? user.roleType,
      State: user.disabled ? 'disabled' : 'enabled',
      Mail: user.mailAddress,
      'Last used': user.lastUsed ?? 'never',
    })),
  );
}
