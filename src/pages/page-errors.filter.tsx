import { Catch } from '@nestjs/common';
import { type Request, type Response } from 'express';
import {
  AuthenticationError,
  DomainError,
  ErrorCode,
  ForgedRequestError,
  InternalError,
  OldSignInError,
  RequiredMFAError,
  TooManyRequestsError,
} from '../errors/domain-errors';
import { toErrorResponse } from '../errors/error-response';
import { ExceptionsFilter } from '../exception.filter';
import { type InLanguages, languageOf } from './language';
import { Page, sendPage } from './page';
import { pageWithError } from './page-forms.service';
import { FACTORS_PATH } from './page-paths';
import { goTo } from './redirect';

export const SIGN_IN_PATH = '/sign-in';
export const CONFIRM_PATH = '/sign-in/confirm';

const TEXTS: InLanguages<{
  title: string;
  wait: (seconds: number) => string;
  missing: string;
  /** The message of the error itself if absent. */
  forged?: string;
  back: string;
}> = {
  en: {
    title: 'That did not work',
    wait: (seconds) => `Too many attempts. Try again in ${durationOf(seconds, 'second', 'minute')}.`,
    missing: 'This page does not exist, or the link no longer works.',
    back: 'Go to your account',
  },
  ja: {
    title: 'エラーが発生しました',
    wait: (seconds) =>
      `試行回数が多すぎます。${seconds < 120 ? `${seconds}秒` : `${Math.ceil(seconds / 60)}分`}後にもう一度お試しください。`,
    missing: 'ページが存在しないか、リンクの有効期限が切れています。',
    forged: 'このサービスのページからのリクエストではありません。リンクからページを開き直してください。',
    back: 'アカウントへ',
  },
};

/**
 * Shows errors of pages to people: in the form that was sent, or on a page of their own. Leads callers without a session to sign in,
 * and those who lack a required second factor to set it up.
 */
@Catch()
export class PageErrorsFilter extends ExceptionsFilter {
  protected override write(error: unknown, request: Request, response: Response): void {
    if (error instanceof AuthenticationError) {
      goTo(response, withReturn(SIGN_IN_PATH, request));
      return;
    }
    if (error instanceof OldSignInError) {
      goTo(response, withReturn(CONFIRM_PATH, request));
      return;
    }
    if (error instanceof RequiredMFAError) {
      goTo(response, FACTORS_PATH);
      return;
    }
    const { status, headers } = toErrorResponse(error);
    response.set(headers);
    sendPage(response, pageWithError(response, error) ?? errorPage(error, request), status);
  }
}

/** Returns a message for people. */
export function messageOf(error: unknown, request: Request): string {
  const texts = TEXTS[languageOf(request)];
  if (error instanceof TooManyRequestsError) return texts.wait(error.retryAfter);
  if (error instanceof ForgedRequestError && texts.forged !== undefined) return texts.forged;
  const known = error instanceof DomainError ? error : new InternalError();
  return known.code === ErrorCode.NoResourceError ? texts.missing : known.message;
}

function errorPage(error: unknown, request: Request): ReturnType<typeof Page> {
  const language = languageOf(request);
  const { title, back } = TEXTS[language];
  return (
    <Page language={language} title={title} narrow>
      <p class="note bad" role="alert">
        {messageOf(error, request)}
      </p>
      <p>
        <a href="/account">{back}</a>
      </p>
    </Page>
  );
}

/** A form that was sent is not sent again: its page is shown. */
const withReturn = (path: string, { method, originalUrl }: Request): string =>
  method === 'GET' ? `${path}?to=${encodeURIComponent(originalUrl)}` : path;

function durationOf(seconds: number, second: string, minute: string): string {
  const [count, unit] = seconds < 120 ? [seconds, second] : [Math.ceil(seconds / 60), minute];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
