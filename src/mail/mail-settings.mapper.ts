import { type MailSettingRow } from './data/mail-setting.repository';
import { type MailSettingsDto } from './dto/mail-settings.dto';
import { mailModeName, topicsOf } from './letter-kind';

/** Converts the settings of letters to their wire format. @param mailAddress the user's current one */
export function toMailSettingsDto(
  { mode, mutedTopics, digestHour, timeZone, language, pausedAddress, pausedReason }: MailSettingRow,
  mailAddress: string,
): MailSettingsDto {
  const paused = pausedAddress === mailAddress;
  return {
    mailAddress,
    mode: mailModeName(mode),
    mutedTopics: topicsOf(mutedTopics),
    digestHour,
    timeZone,
    language,
    paused,
    pausedReason: paused ? pausedReason : null,
  };
}
