import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { COMMAND_LINE } from '../../audit-log/actor';
import { encryptionKeys } from '../../encryption/encryption-keys';
import { EncryptionModule } from '../../encryption/encryption.module';
import { bindRequest } from '../../http/request/request-dto.pipe';
import { ProviderCheckService } from '../../identity-providers/client/provider-check.service';
import { AddIdentityProviderDto } from '../../identity-providers/dto/add-identity-provider.dto';
import { type IdentityProviderDto } from '../../identity-providers/dto/identity-provider.dto';
import { IdentityProvidersModule } from '../../identity-providers/identity-providers.module';
import { IdentityProvidersService } from '../../identity-providers/identity-providers.service';
import { type CommandCall, CommandError, type CommandFile } from '../command';
import { type DatabaseUse } from '../database';
import { type Modules, withServices } from '../services';

interface JsonOption {
  json?: true;
}

interface NewProviderOptions extends JsonOption {
  name?: string;
  issuer: string;
  clientId: string;
  clientSecret?: string;
  clientSecretFile?: string;
  scopes?: string;
  domains?: string;
  createUsers?: true;
  linkByMail?: true;
  trustMail?: true;
  trustSecondFactor?: true;
  acceptMissingAuthTime?: true;
  groupsClaim?: string;
  groupRoles?: string[];
}

export const configure: CommandFile['configure'] = (command, call) => {
  command
    .command('add')
    .description('add an identity provider, and print the redirect URI to register there')
    .argument('<key>', 'its name in paths, such as keycloak')
    .requiredOption('--issuer <url>', 'the issuer, such as https://login.example.com/realms/main')
    .requiredOption('--client-id <id>', 'the client id')
    .option('--client-secret-file <file>', 'read the client secret from a file, or from - for standard input')
    .option('--client-secret <secret>', 'the client secret; other users of this machine can see it')
    .option('--name <name>', 'the name on the button (default: the key)')
    .option('--scopes <scopes>', 'the scopes to request (default: "openid profile email")')
    .option('--domains <domains>', 'domains of people who have no user yet, such as example.com; * for all')
    .option('--create-users', 'people of these domains become users')
    .option(
      '--link-by-mail',
      'people get the user with their verified mail address, whose password is removed',
    )
    .option('--trust-mail', 'take mail addresses for verified if the provider does not say')
    .option('--trust-second-factor', 'do not ask for a second factor after one of the provider')
    .option('--accept-missing-auth-time', 'accept a provider that does not say when a user signed in')
    .option('--groups-claim <claim>', 'the claim with the groups (default: groups)')
    .option('--group-roles <roles...>', 'roles by group, such as 1:administrators 2:staff')
    .option('--json', 'print JSON')
    .action((key: string, options: NewProviderOptions) => add(call, key, options));
  command
    .command('list')
    .description('list the identity providers')
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withProviders(call, 'reads', async (services) =>
        show(call, await services(IdentityProvidersService).list(), options),
      ),
    );
  command
    .command('test')
    .description('check an identity provider, or an issuer that has not been added, without a browser')
    .argument('<provider>', 'the key of the provider, or the issuer')
    .action((provider: string) => test(call, provider));
  command
    .command('remove')
    .description('remove an identity provider with the identities of users there')
    .argument('<key>', 'the key of the provider')
    .action((key: string) =>
      withProviders(call, 'writes', async (services) => {
        const { name } = await services(IdentityProvidersService).delete(COMMAND_LINE, key);
        call.output.print(`Removed ${name}.`);
      }),
    );
};

const withProviders = <T>(
  call: CommandCall,
  use: DatabaseUse,
  work: Parameters<typeof withServices<T>>[3],
): Promise<T> => withServices(call, use, MODULES, work);

const MODULES: Modules = (environment) => {
  const { keys, keep } = encryptionKeys(environment);
  keep();
  return [EncryptionModule.forRoot(keys), IdentityProvidersModule];
};

async function add(call: CommandCall, key: string, options: NewProviderOptions): Promise<void> {
  const clientSecret = options.clientSecret ?? (await readSecret(options.clientSecretFile));
  const body = bindRequest(
    AddIdentityProviderDto,
    withoutUndefined({
      key,
      name: options.name ?? key,
      issuer: options.issuer,
      clientId: options.clientId,
      clientSecret,
      scopes: options.scopes,
      allowedDomains: options.domains?.split(',').map((domain) => domain.trim()),
      createsUsers: options.createUsers,
      linksByMail: options.linkByMail,
      trustsMail: options.trustMail,
      trustsSecondFactor: options.trustSecondFactor,
      acceptsMissingAuthTime: options.acceptMissingAuthTime,
      groupsClaim: options.groupsClaim,
      groupRoles: options.groupRoles,
    }),
  );
  // A running service does not read the files of whoever calls the command.
  const words = call.host ? call.words : [...call.words, '--client-secret', clientSecret];
  await withProviders({ ...call, words }, 'writes', async (services) => {
    const added = await services(IdentityProvidersService).add(COMMAND_LINE, body);
    if (options.json) call.output.printJson(added);
    else call.output.print(added.redirectUri);
    call.output.note(`Register this redirect URI at ${added.name}, then run pms sso test ${key}`);
  });
}

async function readSecret(file: string | undefined): Promise<string> {
  if (file === undefined) throw new CommandError('The client secret is needed: use --client-secret-file.');
  try {
    const content = file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
    return content.split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new CommandError(`The file with the client secret cannot be read: ${(error as Error).message}.`);
  }
}

/** Uses the database as if it wrote, so that a running service makes the test: the command may trust other certificates and reach other hosts. */
const test = (call: CommandCall, target: string): Promise<void> =>
  withProviders(call, 'writes', async (services) => {
    const checks = services(ProviderCheckService);
    const providers = services(IdentityProvidersService);
    const isIssuer = /^https?:/.test(target);
    const redirectUri = isIssuer ? undefined : (await providers.get(target)).redirectUri;
    const findings =
      redirectUri === undefined
        ? checks.checkIssuer(target)
        : checks.checkProvider(await providers.find(target), redirectUri);
    let faults = 0;
    for await (const { isGood, message } of findings) {
      if (!isGood) faults++;
      call.output.print(`${isGood ? 'ok     ' : 'problem'}  ${message}`);
    }
    if (redirectUri !== undefined) call.output.note(`The redirect URI to register there: ${redirectUri}`);
    if (faults > 0) throw new CommandError('Users cannot sign in with this provider, or not all of them.');
  });

function show(
  { output }: CommandCall,
  providers: readonly IdentityProviderDto[],
  { json }: JsonOption,
): void {
  if (json) {
    output.printJson(providers);
    return;
  }
  output.printTable(
    providers.map(({ key, name, issuer, clientId, enabled, hasClientSecret }) => ({
      Key: key,
      Name: name,
      Issuer: issuer,
      Client: clientId,
      State: !enabled ? 'disabled' : hasClientSecret ? 'enabled' : 'without client secret',
    })),
  );
}

const withoutUndefined = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
