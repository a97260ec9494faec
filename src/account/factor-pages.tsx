import { type JSX } from 'hono/jsx/jsx-runtime';
import qrcode from 'qrcode-generator';
import { PageForm, Time } from '../pages/form-parts';
import { FACTORS_PATH } from '../pages/page-paths';
import { type SecondFactorsDto } from '../second-factors/dto/second-factors.dto';
import { type NewTotp } from '../second-factors/enrolment.service';
import { type AccountPage, Frame } from './account-pages';
import { FACTOR_TEXTS } from './factor-texts';
import { CodeInput } from './sign-in-pages';

/** Modules around a QR code that stay empty, so that cameras find it. */
const MARGIN = 4;

export const FactorsPage = ({
  factors: { totp, recoveryCodesLeft },
  isRequired,
  ...page
}: AccountPage & {
  factors: SecondFactorsDto;
  /** Whether the user must set it up before anything else. */
  isRequired: boolean;
}): JSX.Element => {
  const texts = FACTOR_TEXTS[page.language];
  return (
    <Frame {...page} path={FACTORS_PATH} title={texts.factors}>
      {isRequired && <p class="note">{texts.required}</p>}
      <p>{texts.intro}</p>
      {totp ? (
        <>
          <p>
            {texts.hasApp} <Time value={totp.created} />
          </p>
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
      ) : (
        <PageForm action={`${FACTORS_PATH}/begin`} csrf={page.csrf}>
          <button>{texts.begin}</button>
        </PageForm>
      )}
    </Frame>
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
