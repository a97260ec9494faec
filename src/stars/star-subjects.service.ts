import { Injectable } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { type Starrable, type StarTarget } from './stars.service';

/** The fields of a request that name what to star, each with its name in "There is no …". */
export const STAR_FIELDS = {
  issueId: 'issue',
  commentId: 'comment on an issue',
  wikiId: 'wiki page',
  pullRequestId: 'pull request',
  pullRequestCommentId: 'comment on a pull request',
} as const;

export type StarField = keyof typeof STAR_FIELDS;

/** A kind of thing that users can star, as the module that owns it registers it. */
export interface StarSubject {
  /** The field that names one by its id. */
  field: StarField;
  /** Undefined when there is none with the id, or the caller may not see it. */
  find: (caller: Caller, id: number) => Promise<Starrable | undefined>;
  /** Its comments, where it has any. */
  comments?: {
    /** The field that names one by its id. */
    field: StarField;
    /** What the thread belongs to; undefined when it is of another kind, or the caller may not see it. */
    findByThread: (caller: Caller, threadId: number) => Promise<Starrable | undefined>;
  };
  /** Whether the thread belongs to one that the caller may not see although they see the project. */
  hides?: (caller: Caller, threadId: number) => Promise<boolean>;
}

/** A star that somebody may want to take back. */
export interface GivenStar {
  id: number;
  ownerId: number;
  /** The thread that it hangs on, itself or by its comment. */
  threadId: number;
}

/** The threads that stars hang on, as the module that owns them registers them. */
export interface StarThreads {
  /** The thread and the author of a comment, if there is one. */
  findByComment: (commentId: number) => Promise<{ threadId: number; authorId: number } | undefined>;
  /** A star in a project that the caller may see. */
  findStar: (caller: Caller, id: number) => Promise<GivenStar | undefined>;
}

/** Something to star, found for a caller. */
export type FoundTarget = Starrable & { target: StarTarget };

/** What users can star. Modules register their own things here, so that stars do not depend on them. */
@Injectable()
export class StarSubjectsService {
  private readonly subjects: StarSubject[] = [];
  private threads?: StarThreads;

  /** Makes a kind of thing, and its comments, available for stars. */
  register(subject: StarSubject): void {
    this.subjects.push(subject);
  }

  /** Has the threads found that stars hang on, themselves or by their comments. */
  registerThreads(threads: StarThreads): void {
    this.threads = threads;
  }

  /** The thing that a field names by its id, if there is one and the caller may see it. */
  async find(caller: Caller, field: StarField, id: number): Promise<FoundTarget | undefined> {
    for (const subject of this.subjects) {
      if (subject.field === field) return onThread(await subject.find(caller, id));
      if (subject.comments?.field === field) {
        return this.findComment(id, (threadId) => subject.comments?.findByThread(caller, threadId));
      }
    }
    return undefined;
  }

  /** A star on something that the caller may see. */
  async findStar(caller: Caller, id: number): Promise<GivenStar | undefined> {
    const star = await this.threads?.findStar(caller, id);
    return star && (await this.isVisible(caller, star.threadId)) ? star : undefined;
  }

  /** Whether the caller may see what a thread of a project that they see belongs to. */
  private async isVisible(caller: Caller, threadId: number): Promise<boolean> {
    for (const { hides } of this.subjects) {
      if (await hides?.(caller, threadId)) return false;
    }
    return true;
  }

  /** @param findOwner finds what the comment belongs to */
  private async findComment(
    commentId: number,
    findOwner: (threadId: number) => Promise<Starrable | undefined> | undefined,
  ): Promise<FoundTarget | undefined> {
    const comment = await this.threads?.findByComment(commentId);
    const owner = comment && (await findOwner(comment.threadId));
    if (!owner) return undefined;
    const url = `${owner.url}#comment-${commentId}`;
    return { ...owner, authorId: comment.authorId, url, target: { commentId } };
  }
}

const onThread = (found: Starrable | undefined): FoundTarget | undefined =>
  found && { ...found, target: { threadId: found.threadId } };
