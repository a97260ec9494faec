import { type JSX } from 'hono/jsx/jsx-runtime';
import { FormError, PageForm, TextInput } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { Page } from '../pages/page';
import { type RequestOptions } from '../second-factors/passkeys/passkey-checks.service';
import { FACTOR_TEXTS } from './factor-texts';
import { MAIL_TEXTS } from './mail-texts';
import { PasskeyPart } from './passkey-parts';
import { type ProviderLink, ProviderLinks } from './provider-links';
import { SSO_TEXTS } from './sso-texts';
import { TEXTS } from './texts';

/** What every page with one short form needs. */
export interface FormPage {
  language: Language;
  /** What went wrong with the form that was sent. */
  error?: string;
}

interface PasskeyPage extends FormPage {
  /** What the browser needs to use a passkey; undefined where none can be used. */
  passkey?: RequestOptions;
}

export interface SignInPageProps extends PasskeyPage {
  name?: string;
  /** The path of the page to go to. */
  to?: string;
  /** Whether browsers keep a session of this address. */
  isSecure: boolean;
  /** Whether users sign in with passwords. */
  hasPasswords: boolean;
  /** Whether the service sends links to those who have forgotten their password. */
  sendsLinks: boolean;
  providers: readonly ProviderLink[];
}

export interface ConfirmPageProps extends PasskeyPage {
  to?: string;
  csrf: string;
  /** Whether the user has a password with which they can confirm. */
  hasPassword: boolean;
  /** At which the user can confirm. */
  providers: readonly ProviderLink[];
}

export const PASSKEY_PATHS = {
  signIn: '/sign-in/passkey',
  confirm: '/sign-in/confirm/passkey',
  secondFactor: '/sign-in/second-factor/passkey',
} as const;

const PASSWORD_LENGTH = { min: 8, max: 255 } as const;

export const SignInPage = ({
  language,
  error,
  name,
  to,
  isSecure,
  hasPasswords,
  sendsLinks,
  providers,
  passkey,
}: SignInPageProps): JSX.Element => {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.signIn} narrow>
      <FormError message={isSecure ? error : texts.needsTls} />
      {hasPasswords && (
        <PageForm action="/sign-in" hidden={{ to }}>
          <TextInput
            name="name"
            label={texts.loginName}
            value={name}
            autocomplete={passkey ? 'username webauthn' : 'username'}
            max={255}
          />
          <TextInput name="password" type="password" label={texts.password} autocomplete="current-password" />
          <button>{texts.signIn}</button>
        </PageForm>
      )}
      {passkey && (
        <PasskeyPart
          language={language}
          action={PASSKEY_PATHS.signIn}
          options={passkey}
          to={to}
          label={FACTOR_TEXTS[language].signInWithPasskey}
          autofill={hasPasswords}
        />
      )}
      <ProviderLinks language={language} providers={providers} to={to} />
      {sendsLinks && (
        <p>
          <a href="/password/forgotten">{MAIL_TEXTS[language].forgottenLink}</a>
        </p>
      )}
      {hasPasswords && !sendsLinks && <p class="hint">{texts.forgotten}</p>}
    </Page>
  );
};

/** For users whose password is one that everybody tries first. */
export const NewPasswordPage = ({
  language,
  error,
  name,
  to,
}: Pick<SignInPageProps, 'language' | 'error' | 'name' | 'to'>): JSX.Element => {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.chooseNew} narrow>
      <FormError message={error} />
      <p>{texts.newNeeded}</p>
      <PageForm action="/sign-in/new-password" hidden={{ to }}>
        <TextInput name="name" label={texts.loginName} value={name} autocomplete="username" max={255} />
        <TextInput
          name="password"
          type="password"
          label={texts.currentPassword}
          autocomplete="current-password"
        />
        <NewPasswordInput language={language} />
        <button>{texts.signIn}</button>
      </PageForm>
    </Page>
  );
};

export const ConfirmPage = ({
  language,
  error,
  to,
  csrf,
  hasPassword,
  providers,
  passkey,
}: ConfirmPageProps): JSX.Element => {
  const withPasskey = passkey && FACTOR_TEXTS[language].confirmReason;
  const texts = TEXTS[language];
  return (
    <Page language={language} title={hasPassword ? texts.confirm : SSO_TEXTS[language].confirm} narrow>
      <FormError message={error} />
      <p>{hasPassword ? (withPasskey ?? texts.confirmReason) : SSO_TEXTS[language].confirmReason}</p>
      {hasPassword && (
        <PageForm action="/sign-in/confirm" csrf={csrf} hidden={{ to }}>
          <TextInput name="password" type="password" label={texts.password} autocomplete="current-password" />
          <button>{texts.goOn}</button>
        </PageForm>
      )}
      {passkey && (
        <PasskeyPart
          language={language}
          action={PASSKEY_PATHS.confirm}
          options={passkey}
          csrf={csrf}
          to={to}
          label={FACTOR_TEXTS[language].usePasskey}
        />
      )}
      <ProviderLinks language={language} providers={providers} to={to} />
    </Page>
  );
};

/** For users with a second factor, after their password. */
export const SecondFactorPage = ({
  language,
  error,
  to,
  hasApp,
  passkey,
}: PasskeyPage & {
  to?: string;
  /** Whether the user has an authenticator app. */
  hasApp: boolean;
}): JSX.Element => {
  const texts = FACTOR_TEXTS[language];
  return (
    <Page language={language} title={passkey ? texts.secondStep : texts.enterCode} narrow>
      <FormError message={error} />
      {passkey && (
        <PasskeyPart
          language={language}
          action={PASSKEY_PATHS.secondFactor}
          options={passkey}
          to={to}
          label={texts.usePasskey}
        />
      )}
      <PageForm action="/sign-in/second-factor" hidden={{ to }}>
        <CodeInput language={language} hint={hasApp ? texts.enterCodeHint : texts.enterRecoveryCodeHint} />
        <button>{TEXTS[language].signIn}</button>
      </PageForm>
      <p class="hint">{texts.lostApp}</p>
    </Page>
  );
};

/** For users with a link. */
export const SetPasswordPage = ({
  language,
  error,
  token,
  name,
}: FormPage & { token: string; name: string }): JSX.Element => {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.setPassword} narrow>
      <FormError message={error} />
      <p>{texts.setPasswordFor(name)}</p>
      <PageForm action={`/password/${token}`}>
        <NewPasswordInput language={language} />
        <button>{texts.setPassword}</button>
      </PageForm>
    </Page>
  );
};

/** For users with a link of the operator, where passwords are switched off. */
export const SignInByLinkPage = ({
  language,
  token,
  name,
}: FormPage & { token: string; name: string }): JSX.Element => {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.signIn} narrow>
      <p>{SSO_TEXTS[language].linkFor(name)}</p>
      <PageForm action={`/password/${token}`}>
        <button>{texts.signIn}</button>
      </PageForm>
    </Page>
  );
};

export const CodeInput = ({ language, hint }: { language: Language; hint?: string }): JSX.Element => (
  <TextInput
    name="code"
    label={FACTOR_TEXTS[language].code}
    hint={hint}
    autocomplete="one-time-code"
    max={64}
  />
);

export const NewPasswordInput = ({ language }: { language: Language }): JSX.Element => (
  <TextInput
    name="newPassword"
    type="password"
    label={TEXTS[language].newPassword}
    hint={TEXTS[language].passwordRule}
    autocomplete="new-password"
    {...PASSWORD_LENGTH}
  />
);
