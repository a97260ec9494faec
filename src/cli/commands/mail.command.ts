import { readSettings } from '../../config/environment';
import { buildTestMessage } from '../../mail/letters/test-letter';
import { SmtpConnections } from '../../mail/smtp/smtp-connections';
import { explainSmtpFailure, type SmtpError, type SmtpFailure } from '../../mail/smtp/smtp-failure';
import { type CommandCall, CommandError, type CommandFile } from '../command';
import { requireMailAddress } from '../mail-address';

export const configure: CommandFile['configure'] = (command, call) => {
  command
    .command('test')
    .description('send a letter, and print the dialogue with the mail server; the service need not run')
    .argument('<address>', 'the mail address that gets it')
    .action((address: string) => test(call, address));
};

/** What helps against a failure of each step. */
const ADVICE: Readonly<Record<SmtpFailure['step'], string>> = {
  connection:
    'Check the host and the port in SMTP_URL, and whether this machine may connect to them; a port that expects TLS at once needs smtps://.',
  tls: 'Check smtp:// or smtps:// in SMTP_URL, and that the certificate names its host. A private CA needs ?ca=FILE, a server without encryption ?starttls=optional.',
  login: 'Check the user and the password in SMTP_URL; special characters are percent-encoded there.',
  sender: 'MAIL_FROM must be an address from which this login may send.',
  silence: 'See the log of the mail server: it may wait for an answer of the mail server of this domain.',
  recipient: 'Check the address.',
  policy:
    'Check whether the mail server sends to this domain, or to other domains than its own only after a login.',
  letter: 'The mail server took the addresses, but not the letter.',
};

async function test({ output }: CommandCall, address: string): Promise<void> {
  const environment = readSettings();
  const { mail, SMTP_TIMEOUT } = environment;
  if (!mail) throw new CommandError('SMTP_URL and MAIL_FROM are not set: the service sends no mail.');
  requireMailAddress(address);
  const { server, from } = mail;
  const message = await buildTestMessage(
    { from, to: { address }, language: 'en', spaceName: environment.SPACE_NAME ?? 'Space' },
    environment,
  );
  output.print(`Connecting to ${server.host}:${server.port}`);
  const connections = new SmtpConnections(server, SMTP_TIMEOUT * 1000, (line) => output.print(line));
  try {
    await connections.send({ from, to: address, message });
  } catch (error) {
    const { message: reason, step } = explainSmtpFailure(error as SmtpError, address);
    throw new CommandError(`${reason}. ${ADVICE[step]}`);
  }
  output.print(`The mail server has taken the letter to ${address}.`);
}
