import { type Child } from 'hono/jsx';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { PageForm } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { Script } from '../pages/page';
import { type RequestOptions } from '../second-factors/passkeys/passkey-checks.service';
import { type CreationOptions } from '../second-factors/passkeys/passkeys.service';
import { FACTOR_TEXTS } from './factor-texts';

const ANSWER_FIELDS = ['credentialId', 'clientData', 'authenticatorData', 'signature', 'userHandle'];
const NEW_FIELDS = ['clientData', 'attestation', 'transports'];

interface PasskeyFormProps {
  language: Language;
  action: string;
  options: RequestOptions | CreationOptions;
  csrf?: string;
  /** The path of the page to go to. */
  to?: string;
  /** The text of the button. */
  label: string;
  /** Whether the browser also offers passkeys where the login name is entered. */
  autofill?: boolean;
  /** Fields above the button. */
  children?: Child;
}

/** A form that the script shows, and completes with the answer of a passkey. Without the script, a text takes its place. */
export const PasskeyPart = ({
  language,
  action,
  options,
  csrf,
  to,
  label,
  autofill,
  children,
}: PasskeyFormProps): JSX.Element => {
  const texts = FACTOR_TEXTS[language];
  const isNew = 'user' in options;
  const fields = Object.fromEntries((isNew ? NEW_FIELDS : ANSWER_FIELDS).map((name) => [name, '']));
  return (
    <>
      <PageForm
        action={action}
        csrf={csrf}
        hidden={{ ...fields, to }}
        attributes={{
          hidden: true,
          'data-passkey': JSON.stringify(options),
          'data-autofill': autofill ? '' : undefined,
        }}
      >
        {children}
        <p class="hint bad" role="alert" data-error="" hidden>
          {isNew ? texts.passkeyNotMade : texts.passkeyFailed}
        </p>
        {isNew && (
          <p class="hint bad" role="alert" data-error="InvalidStateError" hidden>
            {texts.passkeyOnDevice}
          </p>
        )}
        <button>{label}</button>
      </PageForm>
      <p class="hint" data-passkey-note={texts.passkeysUnsupported}>
        {texts.passkeysNeedScript}
      </p>
      <Script />
    </>
  );
};
