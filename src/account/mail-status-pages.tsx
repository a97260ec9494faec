import { type JSX } from 'hono/jsx/jsx-runtime';
import {
  type FailedInvitationDto,
  type MailStatusDto,
  type PausedAddressDto,
  type RefusedDomainDto,
} from '../mail/dto/mail-status.dto';
import { type MailTestDto } from '../mail/dto/mail-test.dto';
import { answerIn, failureIn } from '../mail/smtp/smtp-failure';
import { PageForm, Time } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { MAIL_STATUS_PATH } from '../pages/page-paths';
import { Table } from '../pages/table';
import { type AccountPage, Frame } from './account-pages';
import { MAIL_STATUS_TEXTS } from './mail-status-texts';
import { TEXTS } from './texts';

/** In seconds. */
const MINUTE = 60;

interface MailStatusPageProps extends AccountPage {
  status: MailStatusDto;
  /** The result of a letter that has just been sent. */
  test?: MailTestDto;
}

/** For Administrators: whether mail arrives. */
export const MailStatusPage = ({ status, test, ...page }: MailStatusPageProps): JSX.Element => {
  const { language, csrf } = page;
  const texts = MAIL_STATUS_TEXTS[language];
  const { enabled, refusedDomains, failedInvitations, pausedAddresses, pausedAddressCount } = status;
  return (
    <Frame {...page} path={MAIL_STATUS_PATH} title={texts.mail}>
      {test && <TestResult test={test} language={language} />}
      {enabled ? <State status={status} language={language} /> : <p>{texts.isOff}</p>}
      {enabled && (
        <PageForm action={`${MAIL_STATUS_PATH}/test`} csrf={csrf}>
          <button>{texts.test}</button>
        </PageForm>
      )}
      {refusedDomains.length > 0 && (
        <>
          <h2>{texts.refusedDomains}</h2>
          <p>{texts.refusedDomainsHint}</p>
          <RefusedDomains domains={refusedDomains} language={language} />
        </>
      )}
      {failedInvitations.length > 0 && (
        <>
          <h2>{texts.failedInvitations}</h2>
          <p>{texts.failedInvitationsHint}</p>
          <FailedInvitations invitations={failedInvitations} language={language} />
        </>
      )}
      <h2>{texts.pausedAddresses}</h2>
      {pausedAddresses.length === 0 ? (
        <p>{texts.noPausedAddresses}</p>
      ) : (
        <>
          <p>
            {texts.pausedAddressesHint}{' '}
            {pausedAddressCount > pausedAddresses.length &&
              texts.latest(pausedAddresses.length, pausedAddressCount)}
          </p>
          <PausedAddresses addresses={pausedAddresses} csrf={csrf} language={language} />
        </>
      )}
    </Frame>
  );
};

const TestResult = ({
  test: { mailAddress, reason },
  language,
}: {
  test: MailTestDto;
  language: Language;
}): JSX.Element => {
  const texts = MAIL_STATUS_TEXTS[language];
  return reason === null ? (
    <p class="note" role="status">
      {texts.taken(mailAddress)}
    </p>
  ) : (
    <div class="note bad" role="alert">
      <p>{texts.notTaken(mailAddress)}</p>
      <p>{failureIn(language, reason)}</p>
    </div>
  );
};

const State = ({ status, language }: { status: MailStatusDto; language: Language }): JSX.Element => {
  const texts = MAIL_STATUS_TEXTS[language];
  const { server, from, pending, oldestPending, pendingSeconds, failed } = status;
  const { failures, failingSince, pausedUntil, reason } = status;
  return (
    <>
      {failures > 0 && (
        <div class="note bad">
          <p>
            {texts.failing(failures)} {failingSince !== null && <Time value={failingSince} />}
          </p>
          {reason !== null && <p>{failureIn(language, reason)}</p>}
          {pausedUntil !== null && (
            <p>
              {texts.pausedUntil} <Time value={pausedUntil} />
            </p>
          )}
        </div>
      )}
      <dl>
        <dt>{texts.server}</dt>
        <dd>{server}</dd>
        <dt>{texts.from}</dt>
        <dd>{from}</dd>
        <dt>{texts.state}</dt>
        <dd>{pausedUntil !== null ? texts.isPaused : failures > 0 ? texts.fails : texts.works}</dd>
        <dt>{texts.pending}</dt>
        <dd>
          {pending}
          {oldestPending !== null && (
            <>
              {` · ${texts.oldest} `}
              <Time value={oldestPending} />
            </>
          )}
          {pendingSeconds >= MINUTE && ` · ${texts.takes(Math.ceil(pendingSeconds / MINUTE))}`}
        </dd>
        <dt>{texts.failed}</dt>
        <dd>{failed}</dd>
      </dl>
    </>
  );
};

const RefusedDomains = ({
  domains,
  language,
}: {
  domains: readonly RefusedDomainDto[];
  language: Language;
}): JSX.Element => {
  const texts = MAIL_STATUS_TEXTS[language];
  return (
    <Table headings={[texts.domain, texts.letters, texts.answer]}>
      {domains.map(({ domain, letterCount, reason }) => (
        <tr key={domain}>
          <td>{domain}</td>
          <td>{letterCount}</td>
          <td>{answerIn(language, reason)}</td>
        </tr>
      ))}
    </Table>
  );
};

const FailedInvitations = ({
  invitations,
  language,
}: {
  invitations: readonly FailedInvitationDto[];
  language: Language;
}): JSX.Element => {
  const [common, texts] = [TEXTS[language], MAIL_STATUS_TEXTS[language]];
  return (
    <Table headings={[common.mailAddress, texts.failedAt, texts.answer]}>
      {invitations.map(({ mailAddress, reason, failed }) => (
        <tr key={`${mailAddress} ${failed}`}>
          <td>{mailAddress}</td>
          <td>
            <Time value={failed} />
          </td>
          <td>{failureIn(language, reason)}</td>
        </tr>
      ))}
    </Table>
  );
};

const PausedAddresses = ({
  addresses,
  csrf,
  language,
}: {
  addresses: readonly PausedAddressDto[];
  csrf: string;
  language: Language;
}): JSX.Element => {
  const [common, texts] = [TEXTS[language], MAIL_STATUS_TEXTS[language]];
  return (
    <Table headings={[common.loginName, common.mailAddress, texts.since, texts.answer, common.actions]}>
      {addresses.map(({ userId, loginName, mailAddress, reason, paused }) => (
        <tr key={userId}>
          <td>{loginName}</td>
          <td>{mailAddress}</td>
          <td>
            <Time value={paused} />
          </td>
          <td>{failureIn(language, reason)}</td>
          <td>
            <PageForm action={`${MAIL_STATUS_PATH}/${userId}/resume`} csrf={csrf}>
              <button class="quiet" aria-label={texts.resumeOf(mailAddress)}>
                {texts.resume}
              </button>
            </PageForm>
          </td>
        </tr>
      ))}
    </Table>
  );
};
