import { Injectable } from '@nestjs/common';
import { type Caller, seesOnlyOwnProjects } from '../access/caller';

/** Whether a user may see another one. */
export type VisibilityCheck = (viewer: Caller, userId: number) => Promise<boolean>;

/**
 * Decides which users a caller may see by id (`docs/decisions/0053-people.md`). The mail addresses that guests do not see are left out where
 * responses are serialised (`http/response/shown-users.ts`).
 */
@Injectable()
export class UserVisibilityService {
  private visibilityCheck?: VisibilityCheck;

  /** Registers the module that knows which users share a project. Without it, callers who see only people of their projects see only themselves. */
  setVisibilityCheck(visibilityCheck: VisibilityCheck): void {
    this.visibilityCheck = visibilityCheck;
  }

  /** Whether the caller may see a user, who may have left. */
  async isVisible(caller: Caller, userId: number): Promise<boolean> {
    if (!seesOnlyOwnProjects(caller) || caller.id === userId) return true;
    return (await this.visibilityCheck?.(caller, userId)) ?? false;
  }
}
