import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { IdPageQuery } from '../http/request/page-query';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { type Page } from '../paging/page';
import { AddInvitationsDto } from './dto/add-invitations.dto';
import { InvitationDto, NewInvitationDto } from './dto/invitation.dto';
import { InvitationLoader, type InvitationResource } from './invitation.loader';
import { InvitationsService } from './invitations.service';

const NOTE = `Only Administrators may do this. ${NOT_OF_THE_FAMILY}`;

@ApiTags('Invitations')
@Controller('invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  @Operation({
    summary: 'List invitations',
    description: `Open, expired and accepted ones, newest first unless \`order\` is \`asc\`. Expired ones are listed for 30 days, accepted ones for 90. ${NOTE}`,
    returns: [InvitationDto],
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true })
  listInvitations(@Query() query: IdPageQuery): Promise<Page<InvitationDto>> {
    return this.invitations.list(query);
  }

  @Post()
  @Operation({
    summary: 'Invite people',
    description: `Returns a link for each person, which works once, within 7 days, as long as the inviting user is an Administrator and not disabled. With it, the person chooses a login name and a password, or signs in with an identity provider, becomes a user with this role in these projects and teams, and is signed in. Another invitation of the same address replaces an open one. A key with limits cannot invite Administrators, and one with scopes needs \`write:projects\` to invite into projects. ${NOTE}`,
    returns: [NewInvitationDto],
    creates: true,
    countLimit: 'invitation',
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true, needsRecentSignIn: true })
  addInvitations(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddInvitationsDto,
  ): Promise<NewInvitationDto[]> {
    return this.invitations.add(caller, body);
  }

  @Delete(':invitationId')
  @Operation({
    summary: 'Revoke an invitation',
    description: `Its link stops working. An invitation that has been accepted cannot be revoked. ${NOTE}`,
    returns: InvitationDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: InvitationLoader,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  deleteInvitation(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() invitation: InvitationResource,
  ): Promise<InvitationDto> {
    return this.invitations.revoke(caller, invitation.id);
  }
}
