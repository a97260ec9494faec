import { GitProgram } from '../../git/git-program';
import { type ArchiveBuilder } from '../archive-builder';
import { GitClones } from '../git-clones';
import { type SourceOptions, type SourceReport } from '../source';
import { type Spool } from '../spool/spool';
import { type ProjectSettings } from './forge-project';
import { GitWiki } from './git-wiki';
import { type ForgePeople } from './people';

/** What a wiki becomes part of. */
interface WikiOwner extends SourceReport {
  builder: ArchiveBuilder;
  people: ForgePeople;
  settings: ProjectSettings;
}

/** The git repositories of a source: the one with its code, and the one with its wiki. */
export class ForgeGit {
  readonly clones: GitClones;
  private readonly git: GitProgram;

  /**
   * @param origin of the source, which alone gets the password
   * @param user who clones with a key, unless an option names one
   */
  constructor(
    { environment, keys, gitUser, gitPassword, signal, guard }: SourceOptions,
    private readonly spool: Spool,
    { origin, user }: { origin: string; user: string },
  ) {
    this.git = new GitProgram(environment);
    this.clones = new GitClones({
      ...{ git: this.git, spool, origin, signal, guard },
      user: gitUser ?? user,
      password: gitPassword ?? keys[0] ?? '',
    });
  }

  /** Reads the wiki of a repository. @param path of the repository, such as `owner/repository` */
  async readWiki({ builder, people, settings, losses, onProgress }: WikiOwner, path: string): Promise<void> {
    const clone = await this.clones.clone(
      { name: 'wiki', path: `/${path}.wiki.git` },
      // A wiki without a page has none.
      (reason) => losses.note('The wiki, if it has pages: its git repository cannot be cloned', reason),
    );
    if (!clone) return;
    const { id: projectId, projectKey } = settings.project;
    const wiki = { builder, people, losses, onProgress, git: this.git, projectId, projectKey };
    await new GitWiki({ ...wiki, time: this.spool.begun }, clone.path).read();
  }
}
