import { Entity, Index, PrimaryColumn } from 'typeorm';
import { tableOptions, TimeColumn } from '../../database/schema/columns';

/** A challenge that a passkey has answered: it is not accepted again. Challenges without a right answer are not stored. */
@Entity('used_challenge', tableOptions)
export class UsedChallenge {
  /** SHA-256 of the challenge and its user, in hexadecimal. */
  @PrimaryColumn({ length: 64, type: 'varchar' })
  challengeHash: string;

  /** When the challenge expires: from this time on, the row is not needed. */
  @Index()
  @TimeColumn()
  expires: number;
}
