/** What a failed attempt says about the letter and the mail server. */
export interface SmtpFailure {
  /** For the operator, and for the user whose address is refused; on one line. */
  message: string;
  /** The step that failed. */
  step: 'connection' | 'tls' | 'login' | 'sender' | 'recipient' | 'letter';
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
/** Answers to a recipient that tell of a policy of the server, such as a missing login or a refused relay, and not of the address. */
const POLICY = /^5\d\d[ -]5\.7\./;
const POLICY_STATUSES = new Set([530, 535, 554]);

/** Explains why an attempt failed. */
export function explainSmtpFailure(error: SmtpError): SmtpFailure {
  const step = stepOf(error);
  const status = error.responseCode ?? 0;
  const isPermanent = status >= 500;
  const isPolicy = POLICY_STATUSES.has(status) || POLICY.test(error.response ?? '');
  const isOfLetter =
    (step === 'recipient' && status > 0 && !isPolicy && status !== 421) || (step === 'letter' && isPermanent);
  return {
    message: describe(error, step),
    step,
    isOfServer: !isOfLetter,
    isFinal: isOfLetter && isPermanent,
  };
}

function stepOf({ code, command = '' }: SmtpError): SmtpFailure['step'] {
  if (code === 'EAUTH') return 'login';
  if (code === 'ETLS' || command === 'STARTTLS') return 'tls';
  if (command === 'MAIL FROM') return 'sender';
  if (command === 'RCPT TO') return 'recipient';
  return command === 'DATA' ? 'letter' : 'connection';
}

const STEPS: Readonly<Record<SmtpFailure['step'], string>> = {
  connection: 'No connection to the mail server',
  tls: 'No encrypted connection to the mail server',
  login: 'The mail server refuses the login',
  sender: 'The mail server refuses the sender',
  recipient: 'The mail server refuses the recipient',
  letter: 'The mail server refuses the letter',
};

/** The answer of the server, or the error of the connection, on one line. */
function describe(error: SmtpError, step: SmtpFailure['step']): string {
  const answer = error.response ?? (error.code ? `${error.code}: ${error.message}` : error.message);
  return oneLine(`${STEPS[step]}: ${answer}`).slice(0, MAX_LENGTH).toWellFormed();
}

/** Replaces characters that could break a line, or rewrite those of a terminal. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
