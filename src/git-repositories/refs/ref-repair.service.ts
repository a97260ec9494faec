import { Injectable } from '@nestjs/common';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { GitPushRepository } from '../data/git-push.repository';
import { type RefDamage, repairRef } from './ref-repair';

/** Returns recorded hashes by the full names of refs. */
export type RecordedSource = (repositoryId: number) => Promise<ReadonlyMap<string, string>>;

/** Repairs damaged refs with the hashes that the database has recorded. */
@Injectable()
export class RefRepairService {
  private readonly sources: RecordedSource[] = [];

  constructor(
    private readonly rows: GitPushRepository,
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /** Registers recorded hashes of refs other than branches and tags. */
  addSource(source: RecordedSource): void {
    this.sources.push(source);
  }

  /**
   * Points a damaged ref at the last recorded hash.
   * @param name the full name of the ref, or `packed-refs`
   * @returns the damage that was repaired; one with an obstacle when it was left; undefined when there was none any more
   * @throws GitUnavailableError without git, Error with the code `EEXIST` while the ref is locked
   */
  async repair(repositoryId: number, name: string): Promise<RefDamage | undefined> {
    if (!(await this.store.has(repositoryId))) return undefined;
    const repository = await this.store.open(repositoryId);
    const recorded = await this.rows.findRecordedHashes(repositoryId);
    for (const source of this.sources) {
      for (const [ref, hash] of await source(repositoryId)) recorded.set(ref, hash);
    }
    return repairRef(this.git, { repository, recorded }, name);
  }
}
