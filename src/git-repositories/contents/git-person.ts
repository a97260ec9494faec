import { toTimestamp } from '../../http/request/timestamp';
import { type CommitPersonDto } from './dto/commit.dto';

const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** Whom a commit names, with a time in seconds since 1970 that may be anything. */
export function toCommitPerson(name: string, mailAddress: string, seconds: string): CommitPersonDto {
  const time = Number(seconds);
  const isShowable = Number.isInteger(time) && time >= 0 && time <= LAST_SECOND;
  return {
    name: name.slice(0, MAX_NAME),
    mailAddress: mailAddress.slice(0, MAX_NAME),
    time: toTimestamp(isShowable ? time * 1000 : 0),
  };
}

/** Longest name that is shown. */
const MAX_NAME = 1000;
