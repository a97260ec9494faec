import { Injectable } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { type StarField } from './dto/add-star.dto';
import { type Starrable, type StarTarget } from './stars.service';

/** A kind of subject that users can star, registered by the module that owns it. */
export interface StarSubject {
  /** The request field with the id. */
  field: StarField;
  /** Finds a subject by id; undefined when it does not exist or the caller cannot see it. */
  find: (caller: Caller, id: number) => Promise<Starrable | undefined>;
  /** The comments on the subject, if it has any. */
  comments?: {
    /** The request field with the id. */
    field: StarField;
    /** Finds the subject of a thread; undefined when it is of another kind or the caller cannot see it. */
    findByThread: (caller: Caller, threadId: number) => Promise<Starrable | undefined>;
  };
  /** Whether the thread belongs to a subject that the caller cannot see although they can see its project. */
  isHiddenFrom?: (caller: Caller, threadId: number) => Promise<boolean>;
}

/** A star that its presenter may remove. */
export interface GivenStar {
  id: number;
  ownerId: number;
  /** The thread of the star, or of the comment that it is on. */
  threadId: number;
}

/** Lookup of the threads of stars, registered by the module that owns the threads. */
export interface StarThreads {
  /** Returns the thread and the author of a comment, if it exists. */
  findByComment: (commentId: number) => Promise<{ threadId: number; authorId: number } | undefined>;
  /** Returns a star in a project that the caller can see. */
  findStar: (caller: Caller, id: number) => Promise<GivenStar | undefined>;
}

/** A subject to star, found for a caller. */
export type FoundTarget = Starrable & { target: StarTarget };

/** Registry of the subjects that users can star. Modules register their own, so that stars do not depend on these modules. */
@Injectable()
export class StarSubjectsService {
  private readonly subjects: StarSubject[] = [];
  private threads?: StarThreads;

  /** Registers a kind of subject, and its comments. */
  register(subject: StarSubject): void {
    this.subjects.push(subject);
  }

  /** Registers the lookup of the threads of stars. */
  registerThreads(threads: StarThreads): void {
    this.threads = threads;
  }

  /** Returns the subject with an id in a field, if it exists and the caller can see it. */
  async find(caller: Caller, field: StarField, id: number): Promise<FoundTarget | undefined> {
    for (const subject of this.subjects) {
      if (subject.field === field) return toThreadTarget(await subject.find(caller, id));
      if (subject.comments?.field === field) {
        return this.findComment(id, (threadId) => subject.comments?.findByThread(caller, threadId));
      }
    }
    return undefined;
  }

  /** Returns a star on a subject that the caller can see. */
  async findStar(caller: Caller, id: number): Promise<GivenStar | undefined> {
    const star = await this.threads?.findStar(caller, id);
    return star && (await this.isVisible(caller, star.threadId)) ? star : undefined;
  }

  /** Returns whether the caller can see the owner of a thread in a project that they can see. */
  private async isVisible(caller: Caller, threadId: number): Promise<boolean> {
    for (const { isHiddenFrom } of this.subjects) {
      if (await isHiddenFrom?.(caller, threadId)) return false;
    }
    return true;
  }

  /** @param findOwner finds the subject that the comment is on */
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

const toThreadTarget = (found: Starrable | undefined): FoundTarget | undefined =>
  found && { ...found, target: { threadId: found.threadId } };
