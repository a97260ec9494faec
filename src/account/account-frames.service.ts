import { Injectable } from '@nestjs/common';
import { type AuthorizedRequest } from '../access/access';
import { RoleType } from '../access/role-type';
import { csrfTokenOf, sessionTokenOf } from '../http/request/session-cookie';
import { languageOf } from '../pages/language';
import { SignInService } from '../sign-in/sign-in.service';
import { type AccountPage } from './account-pages';
import { errorOf } from './account-requests';

/** Gives the pages of users who have signed in what their frame needs. */
@Injectable()
export class AccountFramesService {
  constructor(private readonly signIns: SignInService) {}

  /** @param error of the form that was sent */
  of(request: AuthorizedRequest, error?: unknown): AccountPage {
    return {
      language: languageOf(request),
      csrf: csrfTokenOf(sessionTokenOf(request) ?? ''),
      isAdministrator: request.caller.roleType === RoleType.Administrator,
      hasPasswords: this.signIns.hasPasswords,
      error: errorOf(request, error),
    };
  }
}
