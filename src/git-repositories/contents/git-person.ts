import { toTimestamp } from '../../http/request/timestamp';
import { LATEST_TIME } from '../../time-range';
import { type CommitPersonDto } from './dto/commit.dto';

/** Converts a person of a commit. The time is in seconds since 1970, and may be any text. */
export function toCommitPerson(name: string, mailAddress: string, seconds: string): CommitPersonDto {
  const time = Number(seconds);
  const isShowable = Number.isInteger(time) && time >= 0 && time * 1000 <= LATEST_TIME;
  return {
    name: name.slice(0, MAX_NAME),
    mailAddress: mailAddress.slice(0, MAX_NAME),
    time: toTimestamp(isShowable ? time * 1000 : 0),
  };
}

/** Maximum length of a name or mail address in a response. */
const MAX_NAME = 1000;
