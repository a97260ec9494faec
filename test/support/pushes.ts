import { type Author } from '../../src/access/caller';
import { GitStore } from '../../src/git/git-store';
import { type RefUpdate } from '../../src/git-repositories/entities/git-push.entity';
import { PushesService } from '../../src/git-repositories/pushes/pushes.service';
import { NO_HASH } from '../../src/git-repositories/refs/ref-names';
import { type GitFolder } from './git';
import { type World } from './world';

/** A repository of the service, and a clone that pushes directly into the service's folder. */
export class PushedRepository {
  private constructor(
    private readonly world: World,
    readonly id: number,
    readonly clone: GitFolder,
    readonly bare: string,
  ) {}

  /** @param folder an empty folder */
  static async clone(world: World, repositoryId: number, folder: GitFolder): Promise<PushedRepository> {
    const bare = await world.service(GitStore).open(repositoryId);
    await folder.git('init', '--quiet', '--initial-branch=main');
    await folder.git('remote', 'add', 'origin', bare);
    return new PushedRepository(world, repositoryId, folder, bare);
  }

  /** Adds an empty commit to the clone's branch, and returns its hash. */
  commit(message: string): Promise<string> {
    return this.clone.commit('--allow-empty', '--allow-empty-message', '-m', message);
  }

  head(): Promise<string> {
    return this.clone.git('rev-parse', 'HEAD');
  }

  /** Returns the hash of a ref in the service's folder. */
  async hashOf(ref: string): Promise<string> {
    const { code, stdout } = await this.clone.try('--git-dir', this.bare, 'rev-parse', '--verify', ref);
    return code === 0 ? stdout.trim() : NO_HASH;
  }

  /** Returns the updates that `git push --force origin …` will make. */
  private async updatesOf(refspecs: readonly string[]): Promise<RefUpdate[]> {
    const named = refspecs.map((refspec) => {
      const [from = '', to = from] = refspec.split(':');
      return { from, ref: to.startsWith('refs/') ? to : `refs/heads/${to}` };
    });
    const pushed = named.flatMap(({ from }) => (from === '' ? [] : [from]));
    const hashes = pushed.length === 0 ? [] : (await this.clone.git('rev-parse', ...pushed)).split('\n');
    const inBare = ['--git-dir', this.bare, 'for-each-ref', '--format=%(refname) %(objectname)'];
    const present = await this.clone.git(...inBare, ...named.map(({ ref }) => ref));
    const old = new Map(present.split('\n').map((line) => line.split(' ') as [string, string]));
    return named.map(({ from, ref }) => ({
      ref,
      oldHash: old.get(ref) ?? NO_HASH,
      newHash: from === '' ? NO_HASH : (hashes[pushed.indexOf(from)] as string),
    }));
  }

  /** Announces a push and lets git accept it, like a process that dies before recording it. */
  async pushOnly(person: Author, ...refspecs: string[]): Promise<number[]> {
    const ids = await this.world
      .service(PushesService)
      .announce(this.id, person, await this.updatesOf(refspecs));
    await this.pushByHand(...refspecs);
    return ids;
  }

  /** Pushes without the service. */
  async pushByHand(...refspecs: string[]): Promise<void> {
    await this.clone.git('push', '--quiet', '--force', 'origin', ...refspecs);
  }

  /** Announces a push, lets git accept it, and records it. */
  async push(person: Author, ...refspecs: string[]): Promise<void> {
    const ids = await this.pushOnly(person, ...refspecs);
    await this.world.service(PushesService).record(this.id, ids);
  }

  record(finishedPushIds?: readonly number[]): Promise<void> {
    return this.world.service(PushesService).record(this.id, finishedPushIds);
  }
}
