import { toTimestamp } from '../../http/request/timestamp';
import { type PasskeyRow } from '../data/passkey.repository';
import { type PasskeyDto } from '../dto/passkey.dto';

export const toPasskeyDto = ({ id, name, created, lastUsed, backedUp }: PasskeyRow): PasskeyDto => ({
  id,
  name,
  created: toTimestamp(created),
  lastUsed: lastUsed === null ? null : toTimestamp(lastUsed),
  backedUp,
});
