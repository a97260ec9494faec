import { Injectable } from '@nestjs/common';
import { CommentsService } from '../../comments/comments.service';
import { type UserDto } from '../../users/dto/user.dto';
import { UsersService } from '../../users/users.service';
import { IssueRepository } from '../data/issue.repository';
import { type IssueResource } from '../issue.loader';

export const MAX_PARTICIPANTS = 1000;

/** Lists the participants of issues. */
@Injectable()
export class IssueParticipantsService {
  constructor(
    private readonly issues: IssueRepository,
    private readonly comments: CommentsService,
    private readonly users: UsersService,
  ) {}

  /** Returns the author of the issue, its assignee and all users who have commented on it, by id. */
  async list(issue: IssueResource): Promise<UserDto[]> {
    const people = await this.issues.findPeople(issue.id);
    const own = people ? [people.createdUserId, people.assigneeId ?? people.createdUserId] : [];
    const commenters = await this.comments.listAuthorIds(issue.threadId, MAX_PARTICIPANTS);
    const ids = [...new Set([...own, ...commenters])].slice(0, MAX_PARTICIPANTS);
    const users = await this.users.findByIds(ids);
    return ids.sort((one, other) => one - other).flatMap((id) => users.get(id) ?? []);
  }
}
