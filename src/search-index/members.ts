/** Storage formats of members: their distances, or a bit for each place. */
const DISTANCES = 0;
const BITS = 1;

/** The texts of a block that have a gram: a bit for each place of the block. */
export type Members = Uint8Array;

/** Returns an empty set. `size` must be a multiple of eight. */
export const noMembers = (size: number): Members => new Uint8Array(size / 8);

/** Returns the set of all texts of the block. */
export const allMembers = (size: number): Members => noMembers(size).fill(0xff);

/** Adds the text at a place. */
export function addMember(members: Members, place: number): void {
  const index = place >> 3;
  members[index] = (members[index] as number) | (1 << (place & 7));
}

/** Returns the places of the members, in order. */
export function positionsOf(members: Members): number[] {
  const places: number[] = [];
  for (let index = 0; index < members.length; index++) {
    const byte = members[index] as number;
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) places.push(index * 8 + bit);
  }
  return places;
}

/** Keeps the members that are also in `others`; returns false if none remain. */
export function intersectWith(members: Members, others: Members): boolean {
  let all = 0;
  for (let index = 0; index < members.length; index++) {
    all |= members[index] = (members[index] as number) & (others[index] as number);
  }
  return all !== 0;
}

/** Adds other members; returns false if none of them are new. */
export function addAll(members: Members, others: Members): boolean {
  let added = 0;
  for (let index = 0; index < members.length; index++) {
    const before = members[index] as number;
    members[index] = before | (others[index] as number);
    added |= before ^ (members[index] as number);
  }
  return added !== 0;
}

/** Encodes members for storage, in the shorter of the two formats. */
export function encodeMembers(members: Members): Buffer {
  if (isDense(members)) return Buffer.concat([Buffer.of(BITS), members]);
  const bytes = [DISTANCES];
  let next = 0;
  for (const place of positionsOf(members)) {
    let distance = place - next;
    for (; distance > 0x7f; distance >>= 7) bytes.push((distance & 0x7f) | 0x80);
    bytes.push(distance);
    next = place + 1;
    if (bytes.length > members.length) return Buffer.concat([Buffer.of(BITS), members]);
  }
  return Buffer.from(bytes);
}

/** Whether the distances of the members would take more bytes than a bit for each place. */
function isDense(members: Members): boolean {
  let count = 0;
  for (let index = 0; index < members.length && count <= members.length; index++) {
    for (let byte = members[index] as number; byte !== 0; byte &= byte - 1) count++;
  }
  return count > members.length;
}

/** Decodes the stored members of a block of `size` texts. */
export function decodeMembers(stored: Uint8Array, size: number): Members {
  if (stored[0] === BITS) return new Uint8Array(stored.subarray(1));
  const members = noMembers(size);
  let next = 0;
  let distance = 0;
  let shift = 0;
  for (let index = 1; index < stored.length; index++) {
    const byte = stored[index] as number;
    distance |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    addMember(members, next + distance);
    next += distance + 1;
    distance = 0;
    shift = 0;
  }
  return members;
}
