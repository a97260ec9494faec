import { type FailureReason } from '../identity-providers/sso-failure';
import { type InLanguages } from '../pages/language';

/** What a page says about a sign-in that failed. */
type FailureTexts = Readonly<Record<FailureReason, string>>;

const EN = {
  singleSignOn: 'Single sign-on',
  signInWith: (name: string) => `Sign in with ${name}`,
  passwordsOff: 'Signing in with passwords is switched off. Use one of the other ways.',
  linkFor: (name: string) => `This link signs you in as ${name}, once.`,
  confirm: 'Sign in again',
  confirmReason: 'You signed in a while ago. What comes next needs you to prove again who you are.',
  intro: 'With a connected provider, you sign in without a password.',
  noProviders: 'This service has no identity providers.',
  provider: 'Provider',
  mailAddress: 'Mail address there',
  connected: 'Connected',
  lastUsed: 'Last used',
  never: 'never',
  actions: 'Actions',
  connect: (name: string) => `Connect ${name}`,
  disconnect: 'Disconnect',
  disconnectOf: (name: string) => `Disconnect ${name}`,
  disconnectHint: 'Everywhere else, you are then signed out.',
  lastWayIn:
    'You need this to sign in. Set a password, connect another provider, or sign in once with a passkey alone, first.',
  leaving: (name: string) => `Go on to ${name}`,
  leavingHint: 'If nothing happens, use this link:',
  failed: 'Signing in did not work',
  again: 'Back to signing in',
  code: 'For the administrator:',
  failures: {
    unavailable:
      'The identity provider cannot be used at the moment. Try again later, or ask an administrator.',
    denied: 'The identity provider has not let you sign in, or you have turned back there.',
    invalid: 'What the identity provider has sent is not valid. Begin again.',
    expired: 'This sign-in has taken too long, has ended, or did not begin in this browser. Begin again.',
    noAccount:
      'No account here can be used with this identity. If you have one, sign in otherwise and connect the identity at “Single sign-on”; if not, ask an administrator.',
    taken: 'This identity, or your account, is already connected otherwise. Ask an administrator.',
    otherPerson: 'This is not the identity of your account. Use the one with which you signed in.',
    notAgain: 'The identity provider has not asked you again who you are. Ask an administrator.',
  } satisfies FailureTexts as FailureTexts,
};

/** The texts about single sign-on. */
type SsoTexts = typeof EN;

const JA: SsoTexts = {
  singleSignOn: 'シングルサインオン',
  signInWith: (name) => `${name}でサインイン`,
  passwordsOff: 'パスワードによるサインインは無効です。別の方法を使ってください。',
  linkFor: (name) => `このリンクで、${name}として1回だけサインインできます。`,
  confirm: '再度のサインイン',
  confirmReason: 'サインインから時間が経過しました。続けるには、もう一度本人確認を行ってください。',
  intro: 'プロバイダーを連携すると、パスワードなしでサインインできます。',
  noProviders: 'このサービスにはIDプロバイダーがありません。',
  provider: 'プロバイダー',
  mailAddress: 'プロバイダーでのメールアドレス',
  connected: '連携日時',
  lastUsed: '最終使用',
  never: 'なし',
  actions: '操作',
  connect: (name) => `${name}を連携する`,
  disconnect: '連携を解除する',
  disconnectOf: (name) => `${name}の連携を解除する`,
  disconnectHint: '解除すると、ほかのブラウザーからはサインアウトされます。',
  lastWayIn:
    'サインインに必要なため、解除できません。先に、パスワードを設定するか、別のプロバイダーを連携するか、パスキーだけで一度サインインしてください。',
  leaving: (name) => `${name}に進む`,
  leavingHint: '自動的に移動しない場合は、次のリンクを使ってください。',
  failed: 'サインインできませんでした',
  again: 'サインインに戻る',
  code: '管理者向けの情報:',
  failures: {
    unavailable:
      'IDプロバイダーを現在利用できません。しばらくしてからもう一度試すか、管理者に問い合わせてください。',
    denied: 'IDプロバイダーがサインインを許可しなかったか、サインインが取り消されました。',
    invalid: 'IDプロバイダーからの応答が正しくありません。最初からやり直してください。',
    expired:
      'サインインの有効期限が切れたか、すでに終了しているか、別のブラウザーで始められたものです。最初からやり直してください。',
    noAccount:
      'このIDで利用できるアカウントがありません。アカウントをお持ちの場合は、別の方法でサインインし、「シングルサインオン」でこのIDを接続してください。お持ちでない場合は、管理者に問い合わせてください。',
    taken:
      'このID、またはあなたのアカウントは、すでに別の相手と連携しています。管理者に問い合わせてください。',
    otherPerson: 'このIDは、あなたのアカウントのものではありません。サインインに使ったIDを使ってください。',
    notAgain: 'IDプロバイダーが本人確認を再度行いませんでした。管理者に問い合わせてください。',
  },
};

export const SSO_TEXTS: InLanguages<SsoTexts> = { en: EN, ja: JA };
