import { createHash } from 'node:crypto';

const MODULUS = 1n << 256n;

/**
 * A digest of records whatever their order: the sum of the digests of their lines. Rows of a space come in an order other than that of the
 * archive where their key has the id of a person.
 */
export class RecordDigest {
  private sum = 0n;
  /** Number of records. */
  count = 0;

  add(record: Readonly<Record<string, unknown>>): void {
    const line = JSON.stringify(record);
    this.sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`);
    this.count++;
    if (this.sum >= MODULUS) this.sum -= MODULUS;
  }

  get value(): string {
    return this.sum.toString(16).padStart(64, '0');
  }
}
