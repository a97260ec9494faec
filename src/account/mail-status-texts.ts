import { type InLanguages } from '../pages/language';

const EN = {
  mail: 'Mail',
  isOff: 'This service sends no mail: SMTP_URL is not set.',
  server: 'Mail server',
  from: 'Sender',
  state: 'State',
  works: 'Works',
  fails: 'Fails, and is tried again',
  isPaused: 'Fails: sending is paused',
  failing: (count: number) => `Failed attempts in a row: ${count}, since`,
  pausedUntil: 'The next letter is tried at',
  pending: 'Waiting letters',
  oldest: 'the oldest from',
  takes: (minutes: number) => `sent in ${minutes} min at the set pace`,
  failed: 'Failed in the last 24 hours',
  test: 'Send a test letter to me',
  taken: (address: string) => `The mail server has taken the test letter to ${address}.`,
  notTaken: (address: string) => `The test letter to ${address} could not be sent.`,
  refusedDomains: 'Domains without letters',
  refusedDomainsHint:
    'The mail server refuses letters to these domains because of a policy, or does not answer. If it refuses several, it probably sends to no other domain than its own, or only after a login.',
  domain: 'Domain',
  letters: 'Letters',
  answer: 'Answer of the mail server',
  pausedAddresses: 'Refused addresses',
  noPausedAddresses: 'The mail server refuses no address.',
  pausedAddressesHint: 'Their users get no letters until they change the address, or sending resumes.',
  latest: (shown: number, all: number) => `The latest ${shown} of ${all} are shown.`,
  since: 'Since',
  resume: 'Resume',
  resumeOf: (address: string) => `Resume letters to ${address}`,
};

/** The texts of the page that shows whether mail arrives. */
type MailStatusTexts = typeof EN;

const JA: MailStatusTexts = {
  mail: 'メール送信',
  isOff: 'SMTP_URLが設定されていないため、このサービスはメールを送信しません。',
  server: 'メールサーバー',
  from: '差出人',
  state: '状態',
  works: '正常',
  fails: '失敗(再試行中)',
  isPaused: '失敗(送信を一時停止中)',
  failing: (count) => `連続して失敗した回数: ${count}、開始日時:`,
  pausedUntil: '次に送信を試みる日時:',
  pending: '送信待ち',
  oldest: '最も古いもの:',
  takes: (minutes) => `設定された速度で送信に約${minutes}分`,
  failed: '過去24時間の送信失敗',
  test: '自分にテストメールを送信する',
  taken: (address) => `メールサーバーが${address}宛てのテストメールを受け付けました。`,
  notTaken: (address) => `${address}宛てのテストメールを送信できませんでした。`,
  refusedDomains: 'メールを送信できないドメイン',
  refusedDomainsHint:
    'メールサーバーが次のドメインへのメールをポリシーにより拒否しているか、応答していません。複数のドメインを拒否している場合は、ほかのドメインへの中継が許可されていないか、ログインが必要な可能性があります。',
  domain: 'ドメイン',
  letters: '件数',
  answer: 'メールサーバーの応答',
  pausedAddresses: '拒否されたアドレス',
  noPausedAddresses: '拒否されたアドレスはありません。',
  pausedAddressesHint: 'アドレスを変更するか、送信を再開するまで、これらのユーザーにメールは送信されません。',
  latest: (shown, all) => `全${all}件のうち、新しい順に${shown}件を表示しています。`,
  since: '拒否された日時',
  resume: '再開する',
  resumeOf: (address) => `${address}への送信を再開する`,
};

export const MAIL_STATUS_TEXTS: InLanguages<MailStatusTexts> = { en: EN, ja: JA };
