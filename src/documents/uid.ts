import { randomBytes } from 'node:crypto';

/** Pattern of the id of a document or of a comment on one, on the wire. */
export const UID = /^[0-9a-f]{32}$/;

/** Returns a new id: a UUID version 7 as 32 hexadecimal digits, so that newer ids sort last in an index. */
export function newUid(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex');
}
