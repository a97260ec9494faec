import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { SecondFactorRepository } from './data/second-factor.repository';
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes';

/** Gives users recovery codes, which belong to all of their second factors together. */
@Injectable()
export class RecoveryCodesService {
  constructor(private readonly factors: SecondFactorRepository) {}

  /** Replaces the codes of a user whom the transaction has locked, and returns the new ones. */
  async replace(manager: EntityManager, userId: number): Promise<string[]> {
    const codes = generateRecoveryCodes();
    await this.factors.replaceCodes(manager, userId, codes.map(hashRecoveryCode));
    return codes;
  }

  /** Removes the codes of a user whose last factor the transaction has removed. */
  async removeUnneeded(manager: EntityManager, userId: number): Promise<void> {
    if (!(await this.factors.exists(userId, manager))) await this.factors.deleteCodes(manager, userId);
  }
}
