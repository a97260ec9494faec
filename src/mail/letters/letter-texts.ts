import { changedFieldName } from '../../pages/changed-fields';
import { type InLanguages, type Language } from '../../pages/language';
import { type MailTopic } from '../letter-kind';

const EN = {
  /** What somebody did, by the reason of the notification. */
  assigned: (who: string) => `${who} assigned this to you.`,
  commented: (who: string) => `${who} commented:`,
  created: (who: string) => `${who} added this:`,
  updated: (who: string) => `${who} changed this:`,
  joined: (who: string, project: string) => `${who} added you to the project ${project}.`,
  mentioned: (who: string) => `${who} mentioned you.`,
  replied: (who: string) => `${who} replied to a comment:`,
  fieldName: (field: string) => changedFieldName('en', field),
  open: 'Open',
  reasons: {
    assigned: 'You get this letter because you are the assignee.',
    commented: 'You get this letter because you were named, or because you watch this.',
    mentioned: 'You get this letter because you were mentioned.',
    added: 'You get this letter because you were named.',
    updated: 'You get this letter because you were named, or because you watch this.',
    projects: 'You get this letter because you became a member of a project.',
    wikis: 'You get this letter because you are a member of the project.',
    other: 'You get this letter because you administer the project.',
  } satisfies Record<MailTopic, string>,
  digestSubject: (count: number) => (count === 1 ? 'One notification' : `${count} notifications`),
  digestIntro: (hour: string) => `What happened until ${hour}:`,
  digestMore: 'There are more in the service.',
  digestReason: 'You get this letter because you chose a daily summary.',
  settings: 'Letters to you',
  endLetters: 'Get no more of these letters',
  wikiAdded: (who: string) => `${who} added a wiki page:`,
  wikiUpdated: (who: string) => `${who} changed a wiki page:`,
  invitationSubject: (space: string) => `Invitation to ${space}`,
  invitation: (who: string | undefined, space: string) =>
    `${who ?? 'The operator'} invites you to ${space}. Create your account on this page:`,
  acceptInvitation: 'Accept the invitation',
  linkWorksUntil: (when: string) => `The link works once, until ${when}.`,
  invitationReason:
    'You get this letter because somebody entered your mail address. If you do not know them, ignore it.',
  forgottenSubject: 'Set a new password',
  forgotten: 'Somebody asked for a new password for this mail address. Set it on this page:',
  setPasswordOf: (name: string) => `Set the password of ${name}`,
  forgottenReason:
    'You get this letter because somebody entered your login name or mail address. If it was not you, ignore it: your password stays as it is.',
  security: {
    password: ['Your password has been changed', 'Your password has been changed.'],
    mailAddress: [
      'Your mail address has been changed',
      'The mail address of your account has been changed. Letters go to the new one from now on.',
    ],
    factorAdded: ['A second factor has been set up', 'Signing in now also needs your second factor.'],
    factorRemoved: [
      'A second factor has been removed',
      'A second factor has been removed from your account.',
    ],
    passkeyAdded: ['A new passkey', 'A passkey has been added to your account. You can sign in with it.'],
    passkeyRemoved: ['A passkey has been removed', 'A passkey has been removed from your account.'],
    identityAdded: [
      'An identity provider has been connected',
      'Your account has been connected with an identity provider. You can sign in with it.',
    ],
    identityRemoved: [
      'An identity provider has been disconnected',
      'Your account is no longer connected with an identity provider.',
    ],
    codesRenewed: [
      'New recovery codes',
      'New recovery codes have been made; the former ones no longer work.',
    ],
    keyAdded: ['A new API key', 'An API key has been added to your account.'],
  },
  nameOf: (name: string) => `Name: ${name}`,
  securityAccount: (name: string, when: string) => `Account ${name}, ${when}.`,
  notYou: 'If this was not you, change your password now, and tell an administrator.',
  toAccount: 'Your account',
  securityReason:
    'You get this letter because it concerns the security of your account. It cannot be switched off.',
  testSubject: 'Test of the mail settings',
  test: 'The service can send mail.',
  testReason: 'You get this letter because an administrator tests the mail settings of the service.',
};

/** The texts of letters. */
export type LetterTexts = typeof EN;

const JA: LetterTexts = {
  assigned: (who) => `${who}さんがあなたを担当者に設定しました。`,
  commented: (who) => `${who}さんがコメントしました。`,
  created: (who) => `${who}さんが追加しました。`,
  updated: (who) => `${who}さんが変更しました。`,
  joined: (who, project) => `${who}さんがあなたをプロジェクト「${project}」に追加しました。`,
  mentioned: (who) => `${who}さんがあなたに言及しました。`,
  replied: (who) => `${who}さんがコメントに返信しました。`,
  fieldName: (field) => changedFieldName('ja', field),
  open: '開く',
  reasons: {
    assigned: 'あなたが担当者であるため、このメールをお送りしています。',
    commented: 'あなたがお知らせの対象に指定されたか、ウォッチしているため、このメールをお送りしています。',
    mentioned: 'あなたへの言及があったため、このメールをお送りしています。',
    added: 'あなたがお知らせの対象に指定されたため、このメールをお送りしています。',
    updated: 'あなたがお知らせの対象に指定されたか、ウォッチしているため、このメールをお送りしています。',
    projects: 'あなたがプロジェクトのメンバーになったため、このメールをお送りしています。',
    wikis: 'あなたがプロジェクトのメンバーであるため、このメールをお送りしています。',
    other: 'あなたがプロジェクトの管理者であるため、このメールをお送りしています。',
  },
  digestSubject: (count) => `お知らせ${count}件`,
  digestIntro: (hour) => `${hour}までのお知らせです。`,
  digestMore: 'ほかのお知らせは、サービスで確認できます。',
  digestReason: '1日1回のまとめを選択しているため、このメールをお送りしています。',
  settings: 'メール通知の設定',
  endLetters: 'このメールの配信を停止する',
  wikiAdded: (who) => `${who}さんがWikiページを追加しました。`,
  wikiUpdated: (who) => `${who}さんがWikiページを変更しました。`,
  invitationSubject: (space) => `${space}への招待`,
  invitation: (who, space) =>
    `${who === undefined ? '運用者' : `${who}さん`}から${space}に招待されました。次のページでアカウントを作成してください。`,
  acceptInvitation: '招待を受ける',
  linkWorksUntil: (when) => `リンクは1回限り、${when}まで有効です。`,
  invitationReason:
    'このメールアドレスが招待先として入力されたため、お送りしています。心当たりがない場合は、無視してください。',
  forgottenSubject: '新しいパスワードの設定',
  forgotten: 'このメールアドレスについて、パスワードの再設定が申請されました。次のページで設定してください。',
  setPasswordOf: (name) => `${name}のパスワードを設定する`,
  forgottenReason:
    'あなたのログイン名またはメールアドレスが入力されたため、お送りしています。心当たりがない場合は、無視してください。パスワードは変更されません。',
  security: {
    password: ['パスワードが変更されました', 'パスワードが変更されました。'],
    mailAddress: [
      'メールアドレスが変更されました',
      'アカウントのメールアドレスが変更されました。今後のメールは、新しいアドレスに送信されます。',
    ],
    factorAdded: ['二要素認証が設定されました', 'サインインには、今後、二要素認証も必要です。'],
    factorRemoved: ['二要素認証が解除されました', 'アカウントから二要素認証の方法が削除されました。'],
    passkeyAdded: [
      'パスキーが追加されました',
      'アカウントにパスキーが追加されました。このパスキーでサインインできます。',
    ],
    passkeyRemoved: ['パスキーが削除されました', 'アカウントからパスキーが削除されました。'],
    identityAdded: [
      'IDプロバイダーと連携しました',
      'アカウントがIDプロバイダーと連携しました。このプロバイダーでサインインできます。',
    ],
    identityRemoved: [
      'IDプロバイダーとの連携が解除されました',
      'アカウントとIDプロバイダーとの連携が解除されました。',
    ],
    codesRenewed: [
      'リカバリーコードが再発行されました',
      '新しいリカバリーコードが発行されました。以前のコードは使えません。',
    ],
    keyAdded: ['APIキーが追加されました', 'アカウントにAPIキーが追加されました。'],
  },
  nameOf: (name) => `名前: ${name}`,
  securityAccount: (name, when) => `アカウント: ${name}、日時: ${when}`,
  notYou: '心当たりがない場合は、すぐにパスワードを変更し、管理者に連絡してください。',
  toAccount: 'アカウント',
  securityReason:
    'アカウントのセキュリティに関わるため、このメールをお送りしています。配信を停止することはできません。',
  testSubject: 'メール設定のテスト',
  test: 'サービスからメールを送信できます。',
  testReason: '管理者がサービスのメール設定をテストするために送信しました。',
};

export const LETTER_TEXTS: InLanguages<LetterTexts> = { en: EN, ja: JA };

/** Returns the language of letters: the chosen one, or that of the user. */
export const letterLanguage = (chosen: string | null, lang: string): Language =>
  /^ja\b/i.test(chosen ?? lang) ? 'ja' : 'en';
