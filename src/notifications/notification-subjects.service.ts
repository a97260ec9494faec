import { Injectable } from '@nestjs/common';
import { type Requester } from '../event-loop/user-turns';
import { withAllUsers, type WithoutUsers } from '../users/without-users';

/** The things that a notification shows: comments by id, all others by their threads. */
export type SubjectField = 'issue' | 'pullRequest' | 'document' | 'comment' | 'documentComment';

/** Reads things as shown in responses. Their visibility is checked elsewhere. */
export type ReadSubjects = (
  ids: readonly number[],
  requester: Requester,
) => Promise<WithoutUsers<ReadonlyMap<number, object>>>;

/**
 * Registry of the subjects of notifications. Modules register their own resources here, so that notifications do not depend on
 * them.
 */
@Injectable()
export class NotificationSubjectsService {
  private readonly readers = new Map<SubjectField, ReadSubjects>();

  /** Registers a module's resources for a field of the notifications about them. */
  register(field: SubjectField, read: ReadSubjects): void {
    this.readers.set(field, read);
  }

  /** Reads what a field shows, by the ids of comments or threads. */
  async read(field: SubjectField, ...of: Parameters<ReadSubjects>): ReturnType<ReadSubjects> {
    return (await this.readers.get(field)?.(...of)) ?? withAllUsers(new Map());
  }
}
