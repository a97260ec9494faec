import { type Language } from '../../pages/language';

/** What a failed attempt says about the letter and the mail server. */
export interface SmtpFailure {
  /** For the operator, and for the user whose address is refused; on one line. */
  message: string;
  /** The step that failed. */
  step: 'connection' | 'tls' | 'login' | 'sender' | 'silence' | 'recipient' | 'policy' | 'letter';
  /** Whether the mail server fails, and not this letter alone. */
  isOfServer: boolean;
  /** Whether a retry would fail in the same way. */
  isFinal: boolean;
}

/** The fields of an error of nodemailer that tell what happened. */
export interface SmtpError extends Error {
  code?: string;
  command?: string;
  /** The status of the answer, such as 550. */
  responseCode?: number;
  response?: string;
}

const MAX_LENGTH = 255;
/** Maximum length of a domain in a message. */
const MAX_DOMAIN = 100;
/** Answers to a recipient that tell of a policy, which may concern the domain, or all domains but those of the server. */
const POLICY = /^(554|5\d\d[ -]5\.7\.)/;
/** Answers to a recipient that would be the same for any other: the server closes the connection, or wants a login. */
const OF_SERVER = new Set([421, 530, 535]);
const LOGIN_REQUIRED = 530;
/** What OpenSSL and Node say of a certificate, and of bytes that are not TLS; both have the code of any other failure of the connection. */
const TLS_ERROR = /certificate|altnames|\bssl\b|wrong version number/i;

/**
 * Explains why an attempt failed. The answer to a recipient concerns that recipient: otherwise, users whose own address is refused could keep
 * everybody from getting letters.
 * @param to the recipient
 */
export function explainSmtpFailure(error: SmtpError, to: string): SmtpFailure {
  const step = stepOf(error);
  const status = error.responseCode ?? 0;
  const isPermanent = status >= 500;
  const isOfLetter =
    isOfDomain(step) ||
    (step === 'recipient' && status > 0 && !OF_SERVER.has(status)) ||
    (step === 'letter' && isPermanent);
  return {
    message: describe(error, step, to),
    step,
    isOfServer: !isOfLetter,
    // The operator can correct the policy, or what the server demands.
    isFinal: isOfLetter && isPermanent && step !== 'policy',
  };
}

function stepOf(error: SmtpError): SmtpFailure['step'] {
  const { code, command = '', responseCode = 0, response = '' } = error;
  if (code === 'EAUTH' || (command === 'MAIL FROM' && responseCode === LOGIN_REQUIRED)) return 'login';
  if (code === 'ETLS' || command === 'STARTTLS' || isOfTls(error)) return 'tls';
  if (command === 'MAIL FROM') return 'sender';
  if (command === 'RCPT TO') {
    if (code === 'ETIMEDOUT') return 'silence';
    return POLICY.test(response) && !OF_SERVER.has(responseCode) ? 'policy' : 'recipient';
  }
  return command === 'DATA' ? 'letter' : 'connection';
}

const isOfTls = ({ code, message }: SmtpError): boolean => code === 'ESOCKET' && TLS_ERROR.test(message);

const STEPS: Readonly<Record<SmtpFailure['step'], string>> = {
  connection: 'No connection to the mail server',
  tls: 'No encrypted connection to the mail server',
  login: 'The mail server refuses the login',
  sender: 'The mail server refuses the sender',
  silence: 'The mail server does not answer for letters to',
  recipient: 'The mail server refuses the recipient',
  policy: 'The mail server refuses letters to',
  letter: 'The mail server refuses the letter',
};

const STEPS_JA: Readonly<Record<SmtpFailure['step'], string>> = {
  connection: 'メールサーバーに接続できません',
  tls: 'メールサーバーに暗号化して接続できません',
  login: 'メールサーバーがログインを拒否しました',
  sender: 'メールサーバーが差出人を拒否しました',
  silence: 'メールサーバーが次のドメインへのメールに応答しません:',
  recipient: 'メールサーバーが宛先を拒否しました',
  policy: 'メールサーバーが次のドメインへのメールを拒否しました:',
  letter: 'メールサーバーがメールを拒否しました',
};

/** Returns the message of a failure, as it is stored, in a language; the answer of the mail server remains as it is. */
export function failureIn(language: Language, message: string): string {
  if (language === 'en') return message;
  const step = (Object.keys(STEPS) as SmtpFailure['step'][]).find((name) => message.startsWith(STEPS[name]));
  if (step === undefined) return message;
  return STEPS_JA[step] + answerIn(language, message.slice(STEPS[step].length));
}

/** Returns what the mail server answered in a language: its own words remain as they are. */
export const answerIn = (language: Language, answer: string): string =>
  language === 'en' ? answer : answer.replace(/no answer within ([\d.]+) s$/, '$1秒以内に応答がありません');

/** Beginnings of the messages of failures that concern a domain, which follows. */
export const BEFORE_DOMAIN: readonly string[] = [`${STEPS.policy} `, `${STEPS.silence} `];

/** Returns the domain to which a letter could not be sent, and the answer, from the message of a failure; undefined for another failure. */
export function refusedDomainIn(message: string): { domain: string; answer: string } | undefined {
  const before = BEFORE_DOMAIN.find((text) => message.startsWith(text));
  if (before === undefined) return undefined;
  const [domain = '', ...rest] = message.slice(before.length).split(': ');
  return { domain, answer: rest.join(': ') };
}

/** Returns the domain of an address. */
export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();

const isOfDomain = (step: SmtpFailure['step']): boolean => step === 'policy' || step === 'silence';

/** The answer of the server, or the error of the connection, on one line. */
function describe(error: SmtpError, step: SmtpFailure['step'], to: string): string {
  const answer =
    error.response ?? (error.code && step !== 'silence' ? `${error.code}: ${error.message}` : error.message);
  const domain = domainOf(to).slice(0, MAX_DOMAIN);
  const what = isOfDomain(step) ? `${STEPS[step]} ${domain}` : STEPS[step];
  return oneLine(`${what}: ${answer}`).slice(0, MAX_LENGTH).toWellFormed();
}

/** Replaces characters that could break a line, or rewrite those of a terminal. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
