import { Injectable } from '@nestjs/common';

/** The fields of a notification that show the thing it is about. */
export type SubjectField = 'issue' | 'pullRequest';

/** Finds things as responses show them, by the threads that they own. Who may see them is checked elsewhere. */
export type FindByThreads = (threadIds: readonly number[]) => Promise<ReadonlyMap<number, object>>;

const NONE: FindByThreads = () => Promise.resolve(new Map());

/** What notifications can be about. Modules register their own things here, so that notifications do not depend on them. */
@Injectable()
export class NotificationSubjectsService {
  private readonly finders = new Map<SubjectField, FindByThreads>();

  /** Has a module's things shown in a field of the notifications about them. */
  register(field: SubjectField, find: FindByThreads): void {
    this.finders.set(field, find);
  }

  /** The things that the threads belong to and that a field shows, by thread. */
  find(field: SubjectField, threadIds: readonly number[]): Promise<ReadonlyMap<number, object>> {
    return (this.finders.get(field) ?? NONE)(threadIds);
  }
}
