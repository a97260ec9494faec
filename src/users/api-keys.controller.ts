import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, CurrentCaller, PathResource } from '../access/access';
import { type AuditedCaller, type Caller } from '../access/caller';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ApiKeyAdministrationService } from './api-key-administration.service';
import { ApiKeyLoader } from './api-key.loader';
import { AddApiKeyDto } from './dto/add-api-key.dto';
import { ApiKeyDto, NewApiKeyDto } from './dto/api-key.dto';
import { RoleType } from '../access/role-type';
import { ActiveUserLoader, type UserResource } from './user.loader';

const PERMISSION_NOTE = `Administrators may do this for any user, others only for themselves. ${NOT_OF_THE_FAMILY}`;

@ApiTags('Users')
@Controller('users/:userId/apiKeys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeyAdministrationService) {}

  @Get()
  @Operation({
    summary: 'List the API keys of a user',
    description: `${PERMISSION_NOTE} A key limited to projects sees only keys within its limits.`,
    returns: [ApiKeyDto],
  })
  @Access({ roles: [RoleType.Administrator], resource: ActiveUserLoader, orOwner: true })
  listApiKeys(@CurrentCaller() caller: Caller, @PathResource() user: UserResource): Promise<ApiKeyDto[]> {
    return this.apiKeys.list(user.id, caller);
  }

  @Post()
  @Operation({
    summary: 'Add an API key',
    description: `${PERMISSION_NOTE} Only this response contains the key itself.`,
    returns: NewApiKeyDto,
    creates: true,
    countLimit: 'apiKey',
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    needsRecentSignIn: true,
  })
  addApiKey(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
    @Body() body: AddApiKeyDto,
  ): Promise<NewApiKeyDto> {
    return this.apiKeys.add(caller, user.id, body, caller);
  }

  @Delete(':apiKeyId')
  @Operation({
    summary: 'Revoke an API key',
    description: `${PERMISSION_NOTE} The key stops working immediately in this process, and within 5 seconds in the others. The last key without limits of the last Administrator who has one cannot be revoked. A key with limits can revoke only keys within them.`,
    returns: ApiKeyDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: ApiKeyLoader, orOwner: true, needsRecentSignIn: true })
  deleteApiKey(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() key: UserResource,
  ): Promise<ApiKeyDto> {
    return this.apiKeys.remove(caller, key.id, key.ownerId, caller);
  }
}
