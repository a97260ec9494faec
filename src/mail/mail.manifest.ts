import { type Manifest } from '../manifest';
import { MailLetter } from './entities/mail-letter.entity';
import { MailServer } from './entities/mail-server.entity';
import { MailSetting } from './entities/mail-setting.entity';

export const mailManifest = {
  entities: [MailSetting, MailServer],
  disposable: [MailLetter],
} satisfies Manifest;
