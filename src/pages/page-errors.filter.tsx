import { Catch } from '@nestjs/common';
import { type Request, type Response } from 'express';
import {
  AuthenticationError,
  ConflictError,
  DomainError,
  ErrorCode,
  ForgedRequestError,
  InternalError,
  OldSignInError,
  RequiredMFAError,
  ServiceUnavailableError,
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
  back: string;
  /** What an error means that has no text of its own. */
  meaningOf: (error: DomainError) => string;
}> = {
  en: {
    title: 'That did not work',
    wait: (seconds) => `Too many attempts. Try again in ${durationOf(seconds, 'second', 'minute')}.`,
    missing: 'This page does not exist, or the link no longer works.',
    back: 'Go to your account',
    meaningOf: ({ message }) => message,
  },
  ja: {
    title: 'エラーが発生しました',
    wait: (seconds) =>
      `試行回数が多すぎます。${seconds < 120 ? `${seconds}秒` : `${Math.ceil(seconds / 60)}分`}後にもう一度お試しください。`,
    missing: 'ページが存在しないか、リンクの有効期限が切れています。',
    back: 'アカウントへ',
    meaningOf: japaneseMeaningOf,
  },
};

const JAPANESE_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  [ErrorCode.InternalError]: '内部エラーが発生しました。しばらくしてからもう一度お試しください。',
  [ErrorCode.LicenceError]: 'このスペースのライセンスでは利用できません。',
  [ErrorCode.LicenceExpiredError]: 'このスペースのライセンスの有効期限が切れています。',
  [ErrorCode.AccessDeniedError]: 'お使いのIPアドレスからは利用できません。',
  [ErrorCode.UnauthorizedOperationError]: 'この操作は許可されていません。',
  [ErrorCode.NoResourceError]: 'ページが存在しないか、リンクの有効期限が切れています。',
  [ErrorCode.InvalidRequestError]: '入力内容が正しくありません。',
  [ErrorCode.SpaceOverCapacityError]: 'スペースの容量が不足しています。管理者に問い合わせてください。',
  [ErrorCode.ResourceOverflowError]:
    '数の上限に達しているため、実行できません。管理者に問い合わせてください。',
  [ErrorCode.TooLargeFileError]: '送信された内容が大きすぎます。',
  [ErrorCode.AuthenticationError]: 'サインインが必要です。',
  [ErrorCode.RequiredMFAError]: '二要素認証の設定が必要です。',
  [ErrorCode.TooManyRequestsError]: '試行回数が多すぎます。しばらくしてからもう一度お試しください。',
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
    const page = pageWithError(response, error) ?? errorPage(this.textOf(error, request), request);
    sendPage(response, page, status);
  }

  /** Returns a text for people. */
  protected textOf(error: unknown, request: Request): string {
    return generalTextOf(error, request);
  }
}

/** Returns what an error means to people, whatever the page. */
export function generalTextOf(error: unknown, request: Request): string {
  const texts = TEXTS[languageOf(request)];
  if (error instanceof TooManyRequestsError) return texts.wait(error.retryAfter);
  const known = error instanceof DomainError ? error : new InternalError();
  return known.code === ErrorCode.NoResourceError ? texts.missing : texts.meaningOf(known);
}

function japaneseMeaningOf(error: DomainError): string {
  if (error instanceof ServiceUnavailableError) {
    return 'サービスを一時的に利用できません。しばらくしてからもう一度お試しください。';
  }
  if (error instanceof ForgedRequestError) {
    return 'ページの有効期限が切れているか、別のサイトから送信されました。ページを開き直してください。';
  }
  if (error instanceof ConflictError) return '現在の状態では実行できません。ページを開き直してください。';
  return JAPANESE_MEANINGS[error.code];
}

function errorPage(text: string, request: Request): ReturnType<typeof Page> {
  const language = languageOf(request);
  const { title, back } = TEXTS[language];
  return (
    <Page language={language} title={title} narrow>
      <p class="note bad" role="alert">
        {text}
      </p>
      <p>
        <a href="/account">{back}</a>
      </p>
    </Page>
  );
}

function withReturn(path: string, { method, originalUrl }: Request): string {
  const to = method === 'GET' ? originalUrl : PAGE_OF_FORM.exec(originalUrl)?.[0];
  return to === undefined ? path : `${path}?to=${encodeURIComponent(to)}`;
}

/** A form that was sent is not sent again: its page is shown, to whose path that of the form may add. */
const PAGE_OF_FORM = /^\/account(?:\/[\w-]+)?/;

function durationOf(seconds: number, second: string, minute: string): string {
  const [count, unit] = seconds < 120 ? [seconds, second] : [Math.ceil(seconds / 60), minute];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
