import { type MailModeName, type MailTopic } from '../mail/letter-kind';
import { type InLanguages } from '../pages/language';

const EN = {
  letters: 'Letters',
  intro: (address: string) => `Notifications also reach you by mail, at ${address}.`,
  isOff: 'This service sends no mail at present. Your choice applies as soon as it does.',
  mode: 'Notifications',
  modes: {
    each: 'A letter for each',
    digest: 'One letter a day',
    none: 'No letters',
  } satisfies Record<MailModeName, string>,
  topics: 'Letters about',
  topicsHint: 'With one letter a day, it contains all notifications.',
  topicNames: {
    assigned: 'what is assigned to you',
    commented: 'comments',
    mentioned: 'mentions',
    added: 'new issues and pull requests',
    updated: 'changes',
    projects: 'projects that you become a member of',
    wikis: 'wiki pages',
    other: 'projects that you administer',
  } satisfies Record<MailTopic, string>,
  digestHour: 'Hour of the daily letter',
  timeZone: 'Time zone',
  timeZoneHint: 'Such as Asia/Tokyo or Europe/Berlin.',
  wrongTimeZone: 'There is no such time zone.',
  language: 'Language of the letters',
  languages: { user: 'That of your account', en: 'English', ja: '日本語' },
  securityNote: 'Letters about the security of your account cannot be switched off.',
  paused: (address: string) =>
    `The mail server refuses your address ${address}. You get no letters until you change it or try again.`,
  answer: 'Its answer:',
  resume: 'Try again',
  endTitle: 'Get no more letters',
  endIntro: (name: string) =>
    `The user ${name} gets no more letters about notifications and wiki pages. Letters about the security of the account remain.`,
  end: 'Get no more letters',
  ended: 'You get no more letters about notifications and wiki pages.',
  endedHint: 'Sign in to choose which letters you get:',
  restart: 'Get letters again',
  restarted: 'You get letters again.',
  forgottenTitle: 'Forgotten password',
  forgottenIntro:
    'Enter your login name or your mail address. You get a letter with a link to set a new password.',
  nameOrAddress: 'Login name or mail address',
  sendLink: 'Send the link',
  sent: 'If a user has this name or address, a letter is on its way. Its link works for an hour. If nothing arrives, ask an administrator.',
  forgottenLink: 'Forgotten your password?',
};

/** The texts of the pages about mail. */
export type MailTexts = typeof EN;

const JA: MailTexts = {
  letters: 'メール通知',
  intro: (address) => `お知らせは、メール(${address})でも受け取れます。`,
  isOff: '現在、このサービスはメールを送信していません。設定は、送信が始まったときに適用されます。',
  mode: 'お知らせ',
  modes: { each: '1件ごとに受け取る', digest: '1日1回まとめて受け取る', none: '受け取らない' },
  topics: '受け取る内容',
  topicsHint: '1日1回のまとめには、すべてのお知らせが含まれます。',
  topicNames: {
    assigned: '担当の割り当て',
    commented: 'コメント',
    mentioned: 'メンション',
    added: '課題とプルリクエストの追加',
    updated: '変更',
    projects: 'プロジェクトへの参加',
    wikis: 'Wikiページ',
    other: '管理しているプロジェクト',
  },
  digestHour: '1日1回のメールの時刻(時)',
  timeZone: 'タイムゾーン',
  timeZoneHint: '例: Asia/Tokyo、Europe/Berlin',
  wrongTimeZone: 'このタイムゾーンは存在しません。',
  language: 'メールの言語',
  languages: { user: 'アカウントの言語', en: 'English', ja: '日本語' },
  securityNote: 'アカウントのセキュリティに関するメールは、停止できません。',
  paused: (address) =>
    `メールサーバーがあなたのアドレス${address}への配信を拒否しました。アドレスを変更するか、もう一度試すまで、メールは送信されません。`,
  answer: 'サーバーの応答:',
  resume: 'もう一度試す',
  endTitle: 'メールの配信停止',
  endIntro: (name) =>
    `ユーザー${name}へのお知らせとWikiページのメールを停止します。アカウントのセキュリティに関するメールは、引き続き送信されます。`,
  end: '配信を停止する',
  ended: 'お知らせとWikiページのメールを停止しました。',
  endedHint: '受け取るメールは、サインインして選択できます。',
  restart: '配信を再開する',
  restarted: '配信を再開しました。',
  forgottenTitle: 'パスワードをお忘れの場合',
  forgottenIntro:
    'ログイン名またはメールアドレスを入力してください。新しいパスワードを設定するリンクを、メールでお送りします。',
  nameOrAddress: 'ログイン名またはメールアドレス',
  sendLink: 'リンクを送信する',
  sent: '該当するユーザーがいる場合は、メールが送信されます。リンクの有効期間は1時間です。届かない場合は、管理者に連絡してください。',
  forgottenLink: 'パスワードをお忘れですか?',
};

export const MAIL_TEXTS: InLanguages<MailTexts> = { en: EN, ja: JA };
