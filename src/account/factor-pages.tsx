import { type JSX } from 'hono/jsx/jsx-runtime';
import qrcode from 'qrcode-generator';
import { PageForm, TextInput, Time } from '../pages/form-parts';
import { FACTORS_PATH } from '../pages/page-paths';
import { Table } from '../pages/table';
import { type PasskeyDto } from '../second-factors/dto/passkey.dto';
import { type SecondFactorsDto } from '../second-factors/dto/second-factors.dto';
import { type NewTotp } from '../second-factors/enrolment.service';
import { MAX_PASSKEYS } from '../second-factors/passkeys/passkey-errors';
import { type CreationOptions } from '../second-factors/passkeys/passkeys.service';
import { hasFactor } from '../second-factors/second-factors.service';
import { type AccountPage, Frame } from './account-pages';
import { FACTOR_TEXTS } from './factor-texts';
import { PasskeyPart } from './passkey-parts';
import { CodeInput } from './sign-in-pages';
import { TEXTS } from './texts';

export const PASSKEYS_PATH = `${FACTORS_PATH}/passkeys`;

/** Modules around a QR code that stay empty, so that cameras find it. */
const MARGIN = 4;

/** What the page of a user's second factors shows. */
export interface FactorsPageProps extends AccountPage {
  factors: SecondFactorsDto;
  /** What the browser needs to make a passkey; undefined where it cannot. */
  newPasskey: CreationOptions | undefined;
  entered?: ReadonlyMap<string, string>;
  /** Whether the user must set one up before anything else. */
  isRequired: boolean;
}

export const FactorsPage = ({
  factors,
  newPasskey,
  entered,
  isRequired,
  ...page
}: FactorsPageProps): JSX.Element => {
  const texts = FACTOR_TEXTS[page.language];
  const { totp, passkeys, recoveryCodesLeft } = factors;
  return (
    <Frame {...page} path={FACTORS_PATH} title={texts.factors}>
      {isRequired && <p class="note">{texts.required}</p>}
      <p>{texts.intro}</p>
      <h2>{texts.passkeys}</h2>
      <p>{texts.passkeysIntro}</p>
      {passkeys.length > 0 ? <Passkeys {...page} passkeys={passkeys} /> : <p>{texts.noPasskeys}</p>}
      <NewPasskey {...page} options={newPasskey} isFull={passkeys.length >= MAX_PASSKEYS} entered={entered} />
      <h2>{texts.app}</h2>
      {totp ? (
        <>
          <p>
            {texts.hasApp} <Time value={totp.created} />
          </p>
          <PageForm action={`${FACTORS_PATH}/app/remove`} csrf={page.csrf}>
            <button>{texts.removeApp}</button>
          </PageForm>
        </>
      ) : (
        <PageForm action={`${FACTORS_PATH}/begin`} csrf={page.csrf}>
          <button>{texts.begin}</button>
        </PageForm>
      )}
      {hasFactor(factors) && (
        <>
          <h2>{texts.recoveryCodes}</h2>
          <p>{texts.left(recoveryCodesLeft)}</p>
          <p class="hint">{texts.renewHint}</p>
          <PageForm action={`${FACTORS_PATH}/recovery-codes`} csrf={page.csrf}>
            <button>{texts.renew}</button>
          </PageForm>
          <h2>{texts.remove}</h2>
          <p class="hint">{texts.removeHint}</p>
          <PageForm action={`${FACTORS_PATH}/remove`} csrf={page.csrf}>
            <button>{texts.remove}</button>
          </PageForm>
        </>
      )}
    </Frame>
  );
};

const Passkeys = ({
  language,
  csrf,
  passkeys,
}: AccountPage & { passkeys: readonly PasskeyDto[] }): JSX.Element => {
  const [texts, { name: nameText, lastUsed: lastUsedText, never, actions }] = [
    FACTOR_TEXTS[language],
    TEXTS[language],
  ];
  return (
    <Table headings={[nameText, texts.added, lastUsedText, actions]}>
      {passkeys.map(({ id, name, created, lastUsed }) => (
        <tr key={id}>
          <td>
            <PageForm action={`${PASSKEYS_PATH}/${id}`} csrf={csrf} attributes={{ class: 'inline' }}>
              <input name="name" value={name} maxlength={100} required aria-label={texts.nameOf(name)} />
              <button class="quiet" aria-label={texts.renameOf(name)}>
                {texts.rename}
              </button>
            </PageForm>
          </td>
          <td>
            <Time value={created} />
          </td>
          <td>{lastUsed === null ? never : <Time value={lastUsed} />}</td>
          <td>
            <PageForm action={`${PASSKEYS_PATH}/${id}/remove`} csrf={csrf}>
              <button class="quiet" aria-label={texts.removeOf(name)}>
                {texts.removeOne}
              </button>
            </PageForm>
          </td>
        </tr>
      ))}
    </Table>
  );
};

const NewPasskey = ({
  language,
  csrf,
  options,
  isFull,
  entered,
}: AccountPage & {
  options: CreationOptions | undefined;
  isFull: boolean;
  entered: ReadonlyMap<string, string> | undefined;
}): JSX.Element => {
  const texts = FACTOR_TEXTS[language];
  if (isFull) return <p class="hint">{texts.tooManyPasskeys}</p>;
  if (!options) return <p class="hint">{texts.passkeysNeedHost}</p>;
  return (
    <PasskeyPart
      language={language}
      action={PASSKEYS_PATH}
      options={options}
      csrf={csrf}
      label={texts.addPasskey}
    >
      <TextInput
        name="name"
        label={texts.passkeyName}
        hint={texts.passkeyNameHint}
        value={entered?.get('name')}
        max={100}
      />
    </PasskeyPart>
  );
};

/** Shows the key of an app until its first code confirms it. */
export const NewAppPage = ({
  totp: { secret, uri },
  ...page
}: AccountPage & { totp: NewTotp }): JSX.Element => {
  const texts = FACTOR_TEXTS[page.language];
  return (
    <Frame {...page} path={FACTORS_PATH} title={texts.begin}>
      <p>{texts.scan}</p>
      <QrCode text={uri} label={texts.picture} />
      <dl>
        <dt>{texts.key}</dt>
        <dd>
          <code>{secret}</code>
        </dd>
        <dt>{texts.address}</dt>
        <dd>
          <code>{uri}</code>
        </dd>
      </dl>
      <p>{texts.enterFirst}</p>
      <PageForm action={`${FACTORS_PATH}/app`} csrf={page.csrf}>
        <CodeInput language={page.language} />
        <button>{texts.confirm}</button>
      </PageForm>
      <PageForm action={`${FACTORS_PATH}/begin`} csrf={page.csrf}>
        <button class="quiet">{texts.again}</button>
      </PageForm>
    </Frame>
  );
};

export const RecoveryCodesPage = ({
  codes,
  ...page
}: AccountPage & { codes: readonly string[] }): JSX.Element => {
  const texts = FACTOR_TEXTS[page.language];
  return (
    <Frame {...page} path={FACTORS_PATH} title={texts.recoveryCodes}>
      <div class="note" role="status">
        <p>{texts.newCodes}</p>
        <pre>{codes.join('\n')}</pre>
      </div>
      <p>{texts.recoveryHint}</p>
      <p>
        <a href="/account">{texts.goOn}</a>
      </p>
    </Frame>
  );
};

/** An inline picture: the pages load none. */
const QrCode = ({ text, label }: { text: string; label: string }): JSX.Element => {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const modules = Array.from({ length: size * size }, (_, index) => [Math.floor(index / size), index % size])
    .filter(([row = 0, column = 0]) => code.isDark(row, column))
    .map(([row = 0, column = 0]) => `M${column + MARGIN} ${row + MARGIN}h1v1h-1z`);
  const side = size + 2 * MARGIN;
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
      <path d={modules.join('')} />
    </svg>
  );
};
