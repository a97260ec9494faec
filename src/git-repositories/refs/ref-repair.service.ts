import { Injectable } from '@nestjs/common';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { GitPushRepository } from '../data/git-push.repository';
import { type RefDamage, repairRef } from './ref-repair';

/** Repairs damaged refs with the hashes that the database has recorded. */
@Injectable()
export class RefRepairService {
  constructor(
    private readonly rows: GitPushRepository,
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /**
   * Points a damaged ref at the last recorded hash.
   * @param name the full name of the ref, or `packed-refs`
   * @param heads the recorded heads of pull requests (`findRecordedHeads`)
   * @returns the damage that was repaired; one with an obstacle when it was left; undefined when there was none any more
   * @throws GitUnavailableError without git, RefLockedError
   */
  async repair(
    repositoryId: number,
    name: string,
    heads: ReadonlyMap<string, string>,
  ): Promise<RefDamage | undefined> {
    if (!(await this.store.has(repositoryId))) return undefined;
    const repository = await this.store.open(repositoryId);
    const recorded = new Map([...(await this.rows.findRecordedHashes(repositoryId)), ...heads]);
    return repairRef(this.git, { repository, recorded }, name);
  }
}
