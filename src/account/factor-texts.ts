import { type InLanguages } from '../pages/language';

const EN = {
  factors: 'Second factor',
  required: 'This space requires a second factor. Set it up to go on.',
  intro:
    'With an authenticator app, signing in needs a code of your phone besides your password. API keys are not affected.',
  begin: 'Set up an authenticator app',
  scan: 'Scan this picture with your authenticator app, or enter the key in it.',
  picture: 'QR code with the key',
  key: 'Key',
  address: 'Address for apps on this device',
  enterFirst: 'Then enter the code that the app shows.',
  confirm: 'Confirm',
  again: 'Use another key',
  code: 'Code',
  wrongCode: 'The code is wrong, or has been used. Wait for the next one.',
  hasApp: 'You sign in with an authenticator app. Set up on:',
  recoveryCodes: 'Recovery codes',
  left: (count: number) =>
    count === 1 ? 'You have one recovery code left.' : `You have ${count} recovery codes left.`,
  recoveryHint:
    'Each of them signs you in once, in place of a code of the app. Keep them where you find them without your phone.',
  newCodes: 'Your recovery codes. They are not shown again:',
  renew: 'Make new recovery codes',
  renewHint: 'The former ones then stop working.',
  remove: 'Remove the second factor',
  removeHint: 'Then your password suffices to sign in.',
  goOn: 'Continue',
  enterCode: 'Enter a code',
  enterCodeHint: 'The six digits that your authenticator app shows, or a recovery code.',
  lostApp: 'Without both, an administrator can remove your second factor.',
};

/** The texts about second factors. */
type FactorTexts = typeof EN;

const JA: FactorTexts = {
  factors: '二要素認証',
  required: 'このスペースでは二要素認証が必須です。続けるには設定してください。',
  intro:
    '認証アプリを設定すると、サインインにはパスワードに加えてアプリのコードが必要になります。APIキーには影響しません。',
  begin: '認証アプリを設定する',
  scan: '認証アプリで次の画像を読み取るか、キーをアプリに入力してください。',
  picture: 'キーのQRコード',
  key: 'キー',
  address: 'この端末のアプリ用アドレス',
  enterFirst: '次に、アプリに表示されたコードを入力してください。',
  confirm: '確認',
  again: '別のキーを使う',
  code: 'コード',
  wrongCode: 'コードが正しくないか、使用済みです。次のコードをお待ちください。',
  hasApp: 'サインインに認証アプリを使っています。設定日時:',
  recoveryCodes: 'リカバリーコード',
  left: (count) => `未使用のリカバリーコードは${count}個です。`,
  recoveryHint:
    '各コードは、アプリのコードの代わりに1回だけ使えます。スマートフォンがなくても確認できる場所に保管してください。',
  newCodes: 'リカバリーコードです。二度と表示されません。',
  renew: 'リカバリーコードを再発行する',
  renewHint: '以前のコードは使えなくなります。',
  remove: '二要素認証を解除する',
  removeHint: '解除後は、パスワードだけでサインインできます。',
  goOn: '続ける',
  enterCode: 'コードの入力',
  enterCodeHint: '認証アプリに表示された6桁の数字、またはリカバリーコードを入力してください。',
  lostApp: 'どちらも使えない場合は、管理者が二要素認証を解除できます。',
};

export const FACTOR_TEXTS: InLanguages<FactorTexts> = { en: EN, ja: JA };
