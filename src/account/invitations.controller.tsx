import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { Access, type AuthorizedRequest } from '../access/access';
import { RoleType } from '../access/role-type';
import { NoResourceError } from '../errors/domain-errors';
import { bindRequest } from '../http/request/request-dto.pipe';
import { parseId } from '../http/request/path-id';
import { AddInvitationsDto } from '../invitations/dto/add-invitations.dto';
import { type NewInvitationDto } from '../invitations/dto/invitation.dto';
import { InvitationsService } from '../invitations/invitations.service';
import { LettersService } from '../mail/outbox/letters.service';
import { sendPage } from '../pages/page';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { goTo } from '../pages/redirect';
import { ProjectsService } from '../projects/projects.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { InvitationsForm } from './account-forms';
import { AccountFramesService } from './account-frames.service';
import { callerOf, errorOf } from './account-requests';
import { addressesIn } from './address-lines';
import { type EnteredInvitations, InvitationsPage } from './invitation-pages';

const PATH = '/account/invitations';
/** Number of projects to choose from, and of open invitations shown. */
const SHOWN_PROJECTS = 50;
const SHOWN_INVITATIONS = 100;

/** The page on which Administrators invite people. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Access({ roles: [RoleType.Administrator], page: true, needsNoScope: true, needsRecentSignIn: true })
@Controller('account/invitations')
export class InvitationsPageController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly invitations: InvitationsService,
    private readonly projects: ProjectsService,
    private readonly letters: LettersService,
    private readonly frames: AccountFramesService,
  ) {}

  @Get()
  async showInvitations(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    sendPage(response, (await this.pageOf(request))({}));
  }

  @Post()
  async invite(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const page = await this.pageOf(request);
    const form = await this.forms.read(request, response, InvitationsForm, (error, texts, lists) =>
      page({
        error,
        entered: {
          mailAddresses: texts.get('mailAddresses'),
          roleType: texts.get('roleType'),
          projectIds: lists.get('projectIds'),
        },
      }),
    );
    const { mailAddresses, roleType, projectIds } = form;
    const body = bindRequest(AddInvitationsDto, {
      mailAddresses: addressesIn(mailAddresses),
      roleType,
      projectIds,
    });
    const added = await this.invitations.add(callerOf(request), body);
    sendPage(response, (await this.pageOf(request))({ added }));
  }

  @Post(':invitationId/revoke')
  async revoke(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('invitationId') invitationId: string,
  ): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    const id = parseId(invitationId);
    if (id === undefined) throw new NoResourceError('invitation');
    await this.invitations.revoke(callerOf(request), id);
    goTo(response, PATH);
  }

  /** Reads what the page shows, and returns a function that renders it. */
  private async pageOf(request: AuthorizedRequest): Promise<(state: PageState) => JSX.Element> {
    const projects = await this.projects.listOldest(SHOWN_PROJECTS + 1);
    const invitations = await this.invitations.listOpen(SHOWN_INVITATIONS + 1);
    return ({ error, added, entered }) => (
      <InvitationsPage
        {...this.frames.of(request)}
        error={errorOf(request, error)}
        projects={projects.slice(0, SHOWN_PROJECTS)}
        hasMoreProjects={projects.length > SHOWN_PROJECTS}
        invitations={invitations.slice(0, SHOWN_INVITATIONS)}
        hasMoreInvitations={invitations.length > SHOWN_INVITATIONS}
        added={added}
        entered={entered}
        isMailed={this.letters.isOn}
      />
    );
  }
}

interface PageState {
  error?: unknown;
  added?: readonly NewInvitationDto[];
  entered?: EnteredInvitations;
}
