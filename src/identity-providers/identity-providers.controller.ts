import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller, hasLimitedKey } from '../access/caller';
import { RoleType } from '../access/role-type';
import { UnauthorizedOperationError } from '../errors/domain-errors';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { AddIdentityProviderDto } from './dto/add-identity-provider.dto';
import { IdentityProviderDto } from './dto/identity-provider.dto';
import { UpdateIdentityProviderDto } from './dto/update-identity-provider.dto';
import { IdentityProviderLoader, type ProviderResource } from './identity-provider.loader';
import { IdentityProvidersService, keyTakenError } from './identity-providers.service';

const NOTE = `Only Administrators may do this. ${NOT_OF_THE_FAMILY}`;
const CHANGE_NOTE = `Only Administrators may do this, and not with a key with limits. ${NOT_OF_THE_FAMILY}`;

@ApiTags('Space')
@Controller('space/identityProviders')
export class IdentityProvidersController {
  constructor(private readonly providers: IdentityProvidersService) {}

  @Get()
  @Operation({
    summary: 'List identity providers',
    description: `The servers of OpenID Connect with which users sign in, oldest first; at most 20. ${NOTE}`,
    returns: [IdentityProviderDto],
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true })
  listIdentityProviders(): Promise<IdentityProviderDto[]> {
    return this.providers.list();
  }

  @Post()
  @Operation({
    summary: 'Add an identity provider',
    description: `Nothing is sent to it: \`pms sso test\` does. Register \`redirectUri\` there. ${CHANGE_NOTE}`,
    returns: IdentityProviderDto,
    creates: true,
    countLimit: 'identityProvider',
    conflicts: [keyTakenError()],
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true, needsRecentSignIn: true })
  addIdentityProvider(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddIdentityProviderDto,
  ): Promise<IdentityProviderDto> {
    requireFullKey(caller);
    return this.providers.add(caller, body);
  }

  @Get(':providerKey')
  @Operation({
    summary: 'Get an identity provider',
    description: NOTE,
    returns: IdentityProviderDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: IdentityProviderLoader, beyondProjects: true })
  getIdentityProvider(@PathResource() { key }: ProviderResource): Promise<IdentityProviderDto> {
    return this.providers.get(key);
  }

  @Patch(':providerKey')
  @Operation({
    summary: 'Update an identity provider',
    description: `Sessions that began with it go on. The last enabled one cannot be disabled while \`PASSWORD_SIGN_IN\` is \`off\`. ${CHANGE_NOTE}`,
    returns: IdentityProviderDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: IdentityProviderLoader,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  updateIdentityProvider(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() { key }: ProviderResource,
    @Body() body: UpdateIdentityProviderDto,
  ): Promise<IdentityProviderDto> {
    requireFullKey(caller);
    return this.providers.update(caller, key, body);
  }

  @Delete(':providerKey')
  @Operation({
    summary: 'Delete an identity provider',
    description: `Deletes it with its identities. Sessions that began with it go on. The last enabled one cannot be deleted while \`PASSWORD_SIGN_IN\` is \`off\`. ${CHANGE_NOTE}`,
    returns: IdentityProviderDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: IdentityProviderLoader,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  deleteIdentityProvider(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() { key }: ProviderResource,
  ): Promise<IdentityProviderDto> {
    requireFullKey(caller);
    return this.providers.delete(caller, key);
  }
}

/** A provider could make its own Administrators, whose keys have no limits. */
function requireFullKey(caller: AuditedCaller): void {
  if (hasLimitedKey(caller)) {
    throw new UnauthorizedOperationError('A key with limits cannot change identity providers.');
  }
}
