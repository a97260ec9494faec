import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { Access, type AuthorizedRequest } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { Environment } from '../config/environment';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { IdentitiesService } from '../identity-providers/identities.service';
import { IdentityProvidersService } from '../identity-providers/identity-providers.service';
import { AttemptPurpose } from '../identity-providers/sign-in/attempt-purpose';
import { SingleSignOnService } from '../identity-providers/sign-in/single-sign-on.service';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { IDENTITIES_PATH } from '../pages/page-paths';
import { goTo } from '../pages/redirect';
import { AccountErrorsFilter } from './account-errors.filter';
import { AccountFramesService } from './account-frames.service';
import { callerOf } from './account-requests';
import { IdentitiesPage, LeavingPage } from './sso-pages';
import { depart, showingFailures } from './sso-requests';

/**
 * The page on which users connect and disconnect identity providers. Connecting begins with a form of the page: otherwise, another site could
 * connect its own identity with the user's account.
 */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Access({ roles: EVERYONE, page: true, needsNoScope: true, needsRecentSignIn: true })
@Controller('account/identities')
export class IdentitiesPageController {
  constructor(
    private readonly environment: Environment,
    private readonly forms: PageFormsService,
    private readonly providers: IdentityProvidersService,
    private readonly identities: IdentitiesService,
    private readonly signOn: SingleSignOnService,
    private readonly frames: AccountFramesService,
  ) {}

  @Get()
  async showIdentities(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    sendPage(response, (await this.pageOf(request))());
  }

  @Post(':providerKey/connect')
  connect(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('providerKey') key: string,
  ): Promise<void> {
    return showingFailures(request, response, async () => {
      await this.forms.read(request, response, SignedForm);
      const provider = (await this.providers.listEnabled()).find(({ providerKey }) => providerKey === key);
      if (!provider) throw new NoResourceError('identity provider');
      const url = await depart(this.signOn, this.environment, request, response, {
        key,
        purpose: AttemptPurpose.Connect,
        target: IDENTITIES_PATH,
      });
      sendPage(response, <LeavingPage language={languageOf(request)} name={provider.name} url={url} />);
    });
  }

  @Post(':identityId/disconnect')
  async disconnect(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('identityId') identityId: string,
  ): Promise<void> {
    const page = await this.pageOf(request);
    await this.forms.read(request, response, SignedForm, page);
    const id = parseId(identityId);
    if (id === undefined) throw new NoResourceError('identity');
    await this.identities.disconnect(callerOf(request), request.caller.id, id);
    goTo(response, IDENTITIES_PATH);
  }

  /** Reads what the page shows, and returns how to build it, with an error if there is one. */
  private async pageOf(request: AuthorizedRequest): Promise<(error?: unknown) => JSX.Element> {
    const identities = await this.identities.list(request.caller.id);
    const connected = new Set(identities.map(({ providerKey }) => providerKey));
    const connectable = (await this.providers.listEnabled())
      .filter(({ providerKey }) => !connected.has(providerKey))
      .map(({ providerKey, name }) => ({ key: providerKey, name }));
    return (error) => (
      <IdentitiesPage {...this.frames.of(request, error)} identities={identities} connectable={connectable} />
    );
  }
}
