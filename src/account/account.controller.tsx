import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { Access, type AuthorizedRequest } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { Environment } from '../config/environment';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { clientSignal } from '../http/server/client-signal';
import { sendPage } from '../pages/page';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { hasProjectPages } from '../pages/page-paths';
import { goTo } from '../pages/redirect';
import { type ProjectDto } from '../projects/dto/project.dto';
import { ProjectsService } from '../projects/projects.service';
import { SessionsService } from '../sessions/sessions.service';
import { SignInService } from '../sign-in/sign-in.service';
import { ApiKeyAdministrationService } from '../users/api-key-administration.service';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { AddKeyForm, ChangePasswordForm, ProfileForm } from './account-forms';
import { KeysPage, PasswordPage, ProfilePage, SessionsPage } from './account-pages';
import { AccountFramesService } from './account-frames.service';
import { browserOf, callerOf, goOn } from './account-requests';
import { TEXTS } from './texts';

const KEYS_PATH = '/account/keys';
const SESSIONS_PATH = '/account/sessions';
const DAY_MS = 24 * 60 * 60_000;

/** The pages on which users who have signed in care for their own account. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Access({ roles: EVERYONE, page: true, needsNoScope: true })
@Controller('account')
export class AccountController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly users: UsersService,
    private readonly administration: UserAdministrationService,
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly keys: ApiKeyAdministrationService,
    private readonly projects: ProjectsService,
    private readonly environment: Environment,
    private readonly frames: AccountFramesService,
  ) {}

  @Get()
  async showProfile(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const user = await this.users.get(request.caller.id);
    const projects = await this.projectsOf(request);
    sendPage(response, <ProfilePage {...this.frames.of(request)} user={user} projects={projects} />);
  }

  @Post()
  async changeProfile(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const user = await this.users.get(request.caller.id);
    const projects = await this.projectsOf(request);
    const { name, mailAddress } = await this.forms.read(request, response, ProfileForm, (error, entered) => (
      <ProfilePage {...this.frames.of(request, error)} user={user} projects={projects} entered={entered} />
    ));
    const changed = await this.administration.update(callerOf(request), user.id, { name, mailAddress });
    const page = { ...this.frames.of(request), user: changed, projects };
    sendPage(response, <ProfilePage {...page} notice={TEXTS[page.language].saved} />);
  }

  /** Returns the projects of the user that have pages. */
  private async projectsOf({ caller }: AuthorizedRequest): Promise<ProjectDto[]> {
    return hasProjectPages(this.environment.BASE_PATH)
      ? this.projects.list(caller, { archived: false, all: false })
      : [];
  }

  @Get('password')
  showPassword(@Req() request: AuthorizedRequest, @Res() response: Response): void {
    this.signIns.requirePasswords();
    sendPage(response, <PasswordPage {...this.frames.of(request)} />);
  }

  @Post('password')
  async changePassword(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    this.signIns.requirePasswords();
    const form = await this.forms.read(request, response, ChangePasswordForm, (error) => (
      <PasswordPage {...this.frames.of(request, error)} />
    ));
    const gone = clientSignal(response);
    const progress = await this.signIns.changePassword(callerOf(request), form, browserOf(request), gone);
    // The session is a new one, and with it the token of every form.
    goOn(response, progress, SESSIONS_PATH);
  }

  @Get('sessions')
  async showSessions(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const { caller } = request;
    const sessions = await this.sessions.list(caller.id, caller);
    sendPage(response, <SessionsPage {...this.frames.of(request)} sessions={sessions} />);
  }

  @Post('sessions/end-others')
  async endOtherSessions(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    await this.sessions.endOthers(callerOf(request), request.caller.id);
    goTo(response, SESSIONS_PATH);
  }

  @Post('sessions/:sessionId/end')
  async endSession(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('sessionId') sessionId: string,
  ): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    const id = parseId(sessionId);
    if (id === undefined) throw new NoResourceError('session');
    await this.sessions.end(callerOf(request), request.caller.id, id);
    goTo(response, SESSIONS_PATH);
  }

  @Get('keys')
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, needsRecentSignIn: true })
  async showKeys(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    sendPage(response, await this.keysPage(request));
  }

  @Post('keys')
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, needsRecentSignIn: true })
  async addKey(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const { id: userId } = request.caller;
    const keys = await this.keys.list(userId);
    const form = await this.forms.read(request, response, AddKeyForm, (error, entered, lists) => (
      <KeysPage
        {...this.frames.of(request, error)}
        keys={keys}
        entered={entered}
        chosen={lists.get('scopes')}
      />
    ));
    const { key } = await this.keys.add(callerOf(request), userId, {
      name: form.name,
      scopes: form.scopes,
      agent: form.agent,
      // Until the end of the day.
      expires: form.expires === undefined ? undefined : new Date(Date.parse(form.expires) + DAY_MS),
    });
    sendPage(response, await this.keysPage(request, key));
  }

  @Post('keys/:apiKeyId/revoke')
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, needsRecentSignIn: true })
  async revokeKey(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('apiKeyId') apiKeyId: string,
  ): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    const { id: userId } = request.caller;
    const id = parseId(apiKeyId);
    if (id === undefined || !(await this.keys.has(userId, id))) {
      throw new NoResourceError('API key');
    }
    await this.keys.remove(callerOf(request), id, userId);
    goTo(response, KEYS_PATH);
  }

  private async keysPage(request: AuthorizedRequest, newKey?: string): Promise<JSX.Element> {
    const keys = await this.keys.list(request.caller.id);
    return <KeysPage {...this.frames.of(request)} keys={keys} newKey={newKey} />;
  }
}
