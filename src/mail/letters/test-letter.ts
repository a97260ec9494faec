import { type Environment } from '../../config/environment';
import { type Language } from '../../pages/language';
import { MAIL_SETTINGS_PATH } from '../mail-settings-path';
import { buildMessage } from './letter-message';
import { LETTER_TEXTS } from './letter-texts';

/** Who gets a letter that tests the settings of mail, and how the service names itself in it. */
export interface TestLetter {
  from: string;
  to: { address: string; name?: string };
  language: Language;
  spaceName: string;
}

/** Builds the message of a letter that tests the settings of mail. */
export function buildTestMessage(
  { from, to, language, spaceName }: TestLetter,
  environment: Environment,
): Promise<Buffer> {
  const texts = LETTER_TEXTS[language];
  const settingsUrl = environment.webUrl(MAIL_SETTINGS_PATH);
  const created = Date.now();
  const content = {
    language,
    to,
    subject: texts.testSubject,
    parts: [{ text: texts.test }, { link: { text: texts.toAccount, url: settingsUrl } }],
    reason: texts.testReason,
    canBeEnded: false,
  };
  return buildMessage(content, { from, spaceName, id: `test.${created}`, created, settingsUrl });
}
