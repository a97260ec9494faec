import { type JSX } from 'hono/jsx/jsx-runtime';
import { type IdentityDto } from '../identity-providers/dto/identity.dto';
import { type SsoFailure } from '../identity-providers/sso-failure';
import { PageForm, Time } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { Page } from '../pages/page';
import { IDENTITIES_PATH } from '../pages/page-paths';
import { Table } from '../pages/table';
import { type AccountPage, Frame } from './account-pages';
import { SSO_TEXTS } from './sso-texts';

export const IdentitiesPage = ({
  identities,
  connectable,
  ...page
}: AccountPage & {
  identities: readonly IdentityDto[];
  /** Providers that the user has not connected. */
  connectable: readonly { key: string; name: string }[];
}): JSX.Element => {
  const texts = SSO_TEXTS[page.language];
  return (
    <Frame {...page} path={IDENTITIES_PATH} title={texts.singleSignOn}>
      <p>{identities.length + connectable.length === 0 ? texts.noProviders : texts.intro}</p>
      {identities.length > 0 && (
        <>
          <Identities identities={identities} csrf={page.csrf} language={page.language} />
          <p class="hint">{texts.disconnectHint}</p>
        </>
      )}
      {connectable.map(({ key, name }) => (
        <PageForm key={key} action={`${IDENTITIES_PATH}/${key}/connect`} csrf={page.csrf}>
          <button>{texts.connect(name)}</button>
        </PageForm>
      ))}
    </Frame>
  );
};

const Identities = ({
  identities,
  csrf,
  language,
}: {
  identities: readonly IdentityDto[];
  csrf: string;
  language: Language;
}): JSX.Element => {
  const texts = SSO_TEXTS[language];
  return (
    <Table headings={[texts.provider, texts.mailAddress, texts.connected, texts.lastUsed, texts.actions]}>
      {identities.map(({ id, providerName, mailAddress, created, lastUsed }) => (
        <tr key={id}>
          <td>{providerName}</td>
          <td>{mailAddress ?? '–'}</td>
          <td>
            <Time value={created} />
          </td>
          <td>{lastUsed === null ? texts.never : <Time value={lastUsed} />}</td>
          <td>
            <PageForm action={`${IDENTITIES_PATH}/${id}/disconnect`} csrf={csrf}>
              <button class="quiet" aria-label={texts.disconnectOf(providerName)}>
                {texts.disconnect}
              </button>
            </PageForm>
          </td>
        </tr>
      ))}
    </Table>
  );
};

/** Leads the browser to a provider after a form, which its content security policy does not let lead to another site itself. */
export const LeavingPage = ({
  language,
  name,
  url,
}: {
  language: Language;
  name: string;
  url: string;
}): JSX.Element => {
  const texts = SSO_TEXTS[language];
  return (
    <Page language={language} title={texts.leaving(name)} narrow next={url}>
      <p>{texts.leavingHint}</p>
      <p>
        <a href={url}>{texts.leaving(name)}</a>
      </p>
    </Page>
  );
};

export const SsoFailurePage = ({
  language,
  failure: { reason, code },
}: {
  language: Language;
  failure: SsoFailure;
}): JSX.Element => {
  const texts = SSO_TEXTS[language];
  return (
    <Page language={language} title={texts.failed} narrow>
      <p class="note bad" role="alert">
        {texts.failures[reason]}
      </p>
      <p class="hint">
        {texts.code} <code>{code}</code>
      </p>
      <p>
        <a href="/sign-in">{texts.again}</a>
      </p>
    </Page>
  );
};
