import { readSettings } from '../../config/environment';
import { MAIL_ADDRESS } from '../../users/dto/mail-address';
import { LETTER_TEXTS } from '../../mail/letters/letter-texts';
import { buildMessage } from '../../mail/letters/letter-message';
import { SmtpConnections } from '../../mail/smtp/smtp-connections';
import { explainSmtpFailure, type SmtpError, type SmtpFailure } from '../../mail/smtp/smtp-failure';
import { MAIL_SETTINGS_PATH } from '../../mail/mail-settings-path';
import { type CommandCall, CommandError, type CommandFile } from '../command';

export const configure: CommandFile['configure'] = (command, call) => {
  command
    .command('test')
    .description('send a letter, and print the dialogue with the mail server; the service need not run')
    .argument('<address>', 'the mail address that gets it')
    .action((address: string) => test(call, address));
};

/** What helps against a failure of each step. */
const ADVICE: Readonly<Record<SmtpFailure['step'], string>> = {
  connection: 'Check the host and the port in SMTP_URL, and whether this machine may connect to them.',
  tls: 'Check smtp:// or smtps:// in SMTP_URL. A private CA needs ?ca=FILE, a server without encryption ?starttls=optional.',
  login: 'Check the user and the password in SMTP_URL; special characters are percent-encoded there.',
  sender: 'MAIL_FROM must be an address from which this login may send.',
  recipient: 'Check the address, and whether the mail server sends to other domains only after a login.',
  letter: 'The mail server took the addresses, but not the letter.',
};

async function test({ output }: CommandCall, address: string): Promise<void> {
  const environment = readSettings();
  const { mail, SMTP_TIMEOUT } = environment;
  if (!mail) throw new CommandError('SMTP_URL and MAIL_FROM are not set: the service sends no mail.');
  if (!MAIL_ADDRESS.test(address)) {
    throw new CommandError(`${JSON.stringify(address)} is not a mail address.`);
  }
  const { server, from } = mail;
  const texts = LETTER_TEXTS.en;
  const content = {
    language: 'en',
    to: { address },
    subject: texts.testSubject,
    parts: [
      { text: texts.test },
      { link: { text: texts.toAccount, url: environment.webUrl(MAIL_SETTINGS_PATH) } },
    ],
    reason: texts.testReason,
    canBeEnded: false,
  } as const;
  const created = Date.now();
  const message = await buildMessage(content, {
    from,
    spaceName: environment.SPACE_NAME ?? 'Space',
    id: `test.${created}`,
    created,
    settingsUrl: environment.webUrl(MAIL_SETTINGS_PATH),
  });
  output.print(`Connecting to ${server.host}:${server.port}`);
  const connections = new SmtpConnections(server, SMTP_TIMEOUT * 1000, (line) => output.print(line));
  try {
    await connections.send({ from, to: address, message });
  } catch (error) {
    const { message: reason, step } = explainSmtpFailure(error as SmtpError);
    throw new CommandError(`${reason}. ${ADVICE[step]}`);
  }
  output.print(`The mail server has taken the letter to ${address}.`);
}
