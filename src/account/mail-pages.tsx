import { type JSX } from 'hono/jsx/jsx-runtime';
import { type MailSettingsDto } from '../mail/dto/mail-settings.dto';
import { MAIL_MODE_NAMES, MAIL_TOPICS, type MailModeName } from '../mail/letter-kind';
import { MAIL_SETTINGS_PATH } from '../mail/mail-settings-path';
import { failureIn } from '../mail/smtp/smtp-failure';
import { FormError, PageForm, Select, TextInput } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { Page } from '../pages/page';
import { type AccountPage, Frame } from './account-pages';
import { MAIL_TEXTS } from './mail-texts';
import { type FormPage } from './sign-in-pages';
import { TEXTS } from './texts';

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  text: `${String(hour).padStart(2, '0')}:00`,
}));

export const MailSettingsPage = ({
  settings,
  isOn,
  ...page
}: AccountPage & {
  settings: MailSettingsDto;
  /** Whether the service sends mail. */
  isOn: boolean;
}): JSX.Element => {
  const { language, csrf } = page;
  const texts = MAIL_TEXTS[language];
  const { mailAddress, mode, mutedTopics, digestHour, timeZone, paused, pausedReason } = settings;
  return (
    <Frame {...page} path={MAIL_SETTINGS_PATH} title={texts.letters}>
      {paused && (
        <div class="note bad">
          <p>{texts.paused(mailAddress)}</p>
          <p>
            {texts.answer} {failureIn(language, pausedReason ?? '')}
          </p>
          <PageForm action={`${MAIL_SETTINGS_PATH}/resume`} csrf={csrf}>
            <button>{texts.resume}</button>
          </PageForm>
        </div>
      )}
      <p>{isOn ? texts.intro(mailAddress) : texts.isOff}</p>
      <PageForm action={MAIL_SETTINGS_PATH} csrf={csrf}>
        <Select
          name="mode"
          label={texts.mode}
          options={MAIL_MODE_NAMES.map((name) => ({ value: name, text: texts.modes[name] })).toReversed()}
          value={mode}
        />
        <fieldset aria-describedby="topics-hint">
          <legend>{texts.topics}</legend>
          <p class="hint" id="topics-hint">
            {texts.topicsHint}
          </p>
          {MAIL_TOPICS.map((topic) => (
            <label key={topic} class="choice">
              <input type="checkbox" name="topics" value={topic} checked={!mutedTopics.includes(topic)} />{' '}
              {texts.topicNames[topic]}
            </label>
          ))}
        </fieldset>
        <Select name="digestHour" label={texts.digestHour} options={HOURS} value={String(digestHour)} />
        <TextInput
          name="timeZone"
          label={texts.timeZone}
          hint={texts.timeZoneHint}
          value={timeZone}
          max={64}
        />
        <Select
          name="language"
          label={texts.language}
          options={(['user', 'en', 'ja'] as const).map((value) => ({ value, text: texts.languages[value] }))}
          value={settings.language ?? 'user'}
        />
        <p class="hint">{texts.securityNote}</p>
        <button>{TEXTS[language].save}</button>
      </PageForm>
    </Frame>
  );
};

/** For people with the link of a letter. */
export const EndLettersPage = ({
  language,
  token,
  name,
}: {
  language: Language;
  token: string;
  name: string;
}): JSX.Element => {
  const texts = MAIL_TEXTS[language];
  return (
    <Page language={language} title={texts.endTitle} narrow>
      <p>{texts.endIntro(name)}</p>
      <PageForm action={`/mail/unsubscribe/${token}`}>
        <button>{texts.end}</button>
      </PageForm>
    </Page>
  );
};

/** After the link of a letter has ended letters, or its button has begun them again. */
export const LettersEndedPage = ({
  language,
  token,
  former,
}: {
  language: Language;
  token: string;
  /** The mode that the button sets again; absent after that. */
  former?: MailModeName;
}): JSX.Element => {
  const texts = MAIL_TEXTS[language];
  return (
    <Page language={language} title={texts.letters} narrow>
      <p class="note" role="status">
        {former === undefined ? texts.restarted : texts.ended}
      </p>
      {former !== undefined && former !== 'none' && (
        <PageForm action={`/mail/unsubscribe/${token}/undo`} hidden={{ mode: former }}>
          <button>{texts.restart}</button>
        </PageForm>
      )}
      <p>
        {texts.endedHint} <a href={MAIL_SETTINGS_PATH}>{texts.letters}</a>
      </p>
    </Page>
  );
};

/** For people who have forgotten their password. */
export const ForgottenPasswordPage = ({
  language,
  error,
  isSent,
}: FormPage & { isSent?: true }): JSX.Element => {
  const texts = MAIL_TEXTS[language];
  return (
    <Page language={language} title={texts.forgottenTitle} narrow>
      <FormError message={error} />
      {isSent ? (
        <p class="note" role="status">
          {texts.sent}
        </p>
      ) : (
        <>
          <p>{texts.forgottenIntro}</p>
          <PageForm action="/password/forgotten">
            <TextInput name="name" label={texts.nameOrAddress} autocomplete="username" max={255} />
            <button>{texts.sendLink}</button>
          </PageForm>
        </>
      )}
      <p>
        <a href="/sign-in">{TEXTS[language].signIn}</a>
      </p>
    </Page>
  );
};
