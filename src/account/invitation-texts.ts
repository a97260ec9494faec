import { type InLanguages } from '../pages/language';

const EN = {
  welcome: 'Create your account',
  welcomeFor: (mailAddress: string) => `You are invited as ${mailAddress}. Then you are signed in.`,
  nameRule: 'With it, you sign in. Letters, digits and _ . @ + -, a letter or digit first.',
  nameTaken: 'Somebody else has this login name. Choose another.',
  accept: 'Create the account',
  orProvider: 'Or sign in with an identity provider, without a password here.',
  withProvider: 'Sign in with an identity provider.',
  acceptWith: (name: string) => `Create the account with ${name}`,
  intro:
    'Each person gets a link of their own, with which they choose a login name and a password, or sign in with an identity provider. It works once, within 7 days.',
  introMailed: 'They get it by mail.',
  introNotMailed: 'Send it to them yourself: this service sends no mail.',
  mailAddresses: 'Mail addresses',
  mailAddressesHint: 'One per line, up to 100.',
  wrongAddresses: (lines: string) => `These are not mail addresses: ${lines}`,
  alreadyUsers: (addresses: string) => `These people are users already: ${addresses}`,
  accepted: 'The invitation has been accepted: the person is a user.',
  projects: 'Projects',
  projectsHint: 'They become members of these projects.',
  firstProjects: (count: number) => `Only the first ${count} are shown.`,
  invite: 'Invite',
  links: 'The links. They are not shown again:',
  open: 'Open invitations',
  firstInvitations: (count: number) => `Only the newest ${count} are shown.`,
  noneOpen: 'There are none.',
  until: 'Works until',
  revokeOf: (mailAddress: string) => `Revoke the invitation of ${mailAddress}`,
};

/** The texts of the pages of invitations. */
type InvitationTexts = typeof EN;

const JA: InvitationTexts = {
  welcome: 'アカウントの作成',
  welcomeFor: (mailAddress) => `${mailAddress}として招待されています。作成するとサインインします。`,
  nameRule: 'サインインに使います。半角英数字と _ . @ + - が使えます。先頭は英数字にしてください。',
  nameTaken: 'このログイン名はすでに使われています。別のログイン名を選んでください。',
  accept: 'アカウントを作成',
  orProvider: 'または、IDプロバイダーでサインインしてください。その場合、パスワードは不要です。',
  withProvider: 'IDプロバイダーでサインインしてください。',
  acceptWith: (name) => `${name}でアカウントを作成`,
  intro:
    '招待する人ごとに、ログイン名とパスワードの設定、またはIDプロバイダーでのサインインに使うリンクを発行します。リンクは7日以内に1回だけ使えます。',
  introMailed: 'リンクはメールで送信されます。',
  introNotMailed: 'このサービスはメールを送信しないため、リンクは自分で送ってください。',
  mailAddresses: 'メールアドレス',
  mailAddressesHint: '1行に1件ずつ、100件まで入力できます。',
  wrongAddresses: (lines) => `メールアドレスではありません: ${lines}`,
  alreadyUsers: (addresses) => `すでにユーザーになっています: ${addresses}`,
  accepted: '招待はすでに承諾され、ユーザーになっています。',
  projects: 'プロジェクト',
  projectsHint: '選んだプロジェクトのメンバーになります。',
  firstProjects: (count) => `最初の${count}件だけを表示しています。`,
  invite: '招待する',
  links: '招待のリンクです。二度と表示されません。',
  open: '有効な招待',
  firstInvitations: (count) => `新しい順に${count}件だけを表示しています。`,
  noneOpen: '有効な招待はありません。',
  until: '有効期限',
  revokeOf: (mailAddress) => `${mailAddress}への招待を無効にする`,
};

export const INVITATION_TEXTS: InLanguages<InvitationTexts> = { en: EN, ja: JA };
