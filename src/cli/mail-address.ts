import { MAIL_ADDRESS } from '../users/dto/mail-address';
import { CommandError } from './command';

/** @throws CommandError that names the text if it is no mail address */
export function requireMailAddress(text: string): void {
  if (!MAIL_ADDRESS.test(text)) throw new CommandError(`${JSON.stringify(text)} is not a mail address.`);
}
