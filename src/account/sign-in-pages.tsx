import { type JSX } from 'hono/jsx/jsx-runtime';
import { FormError, PageForm, TextInput } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { Page } from '../pages/page';
import { FACTOR_TEXTS } from './factor-texts';
import { MAIL_TEXTS } from './mail-texts';
import { TEXTS } from './texts';

/** What every page with one short form needs. */
export interface FormPage {
  language: Language;
  /** What went wrong with the form that was sent. */
  error?: string;
}

interface SignInPageProps extends FormPage {
  name?: string;
  /** The path of the page to go to. */
  to?: string;
  /** Whether browsers keep a session of this address. */
  isSecure: boolean;
  /** Whether the service sends links to those who have forgotten their password. */
  sendsLinks: boolean;
}

const PASSWORD_LENGTH = { min: 8, max: 255 } as const;

export const SignInPage = ({
  language,
  error,
  name,
  to,
  isSecure,
  sendsLinks,
}: SignInPageProps): JSX.Element => {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.signIn} narrow>
      <FormError message={isSecure ? error : texts.needsTls} />
      <PageForm action="/sign-in" hidden={{ to }}>
        <TextInput name="name" label={texts.loginName} value={name} autocomplete="username" max={255} />
        <TextInput name="password" type="password" label={texts.password} autocomplete="current-password" />
        <button>{texts.signIn}</button>
      </PageForm>
      {sendsLinks ? (
        <p>
          <a href="/password/forgotten">{MAIL_TEXTS[language].forgottenLink}</a>
        </p>
      ) : (
        <p class="hint">{texts.forgotten}</p>
      )}
    </Page>
  );
};

/** For users whose password is one that everybody tries first. */
export const NewPasswordPage = ({
  language,
  error,
  name,
  to,
}: Omit<SignInPageProps, 'isSecure' | 'sendsLinks'>): JSX.Element => {
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
}: FormPage & { to?: string; csrf: string }): JSX.Element => {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.confirm} narrow>
      <FormError message={error} />
      <p>{texts.confirmReason}</p>
      <PageForm action="/sign-in/confirm" csrf={csrf} hidden={{ to }}>
        <TextInput name="password" type="password" label={texts.password} autocomplete="current-password" />
        <button>{texts.goOn}</button>
      </PageForm>
    </Page>
  );
};

/** For users with a second factor, after their password. */
export const SecondFactorPage = ({ language, error, to }: FormPage & { to?: string }): JSX.Element => {
  const texts = FACTOR_TEXTS[language];
  return (
    <Page language={language} title={texts.enterCode} narrow>
      <FormError message={error} />
      <PageForm action="/sign-in/second-factor" hidden={{ to }}>
        <CodeInput language={language} hint={texts.enterCodeHint} />
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
