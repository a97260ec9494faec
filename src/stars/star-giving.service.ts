import { Injectable } from '@nestjs/common';
import { CommentsService } from '../comments/comments.service';
import { type Starrable, StarsService, type StarTarget } from '../comments/stars.service';
import { refusingGone } from '../database/database-errors';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { IssuesService } from '../issues/issues.service';
import { PullRequestsService } from '../pull-requests/pull-requests.service';
import { type Caller } from '../access/caller';
import { WikisService } from '../wikis/wikis.service';
import { type AddStarDto } from './dto/add-star.dto';
import { type StarResource } from './star.loader';

/** What can be named, each by a field, and its name in "There is no …". */
const TARGETS = {
  issueId: 'issue',
  commentId: 'comment on an issue',
  wikiId: 'wiki page',
  pullRequestId: 'pull request',
  pullRequestCommentId: 'comment on a pull request',
} as const;

type TargetField = keyof typeof TARGETS;

const FIELDS = Object.keys(TARGETS) as TargetField[];

/** Giving stars and taking them back. */
@Injectable()
export class StarGivingService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly stars: StarsService,
    private readonly comments: CommentsService,
    private readonly issues: IssuesService,
    private readonly pullRequests: PullRequestsService,
    private readonly wikis: WikisService,
  ) {}

  /**
   * Puts the caller's star on what the body names; one that is there already stays.
   * @throws InvalidRequestError unless it names exactly one thing, which the caller may see
   */
  async add(caller: Caller, body: AddStarDto): Promise<void> {
    const { field, id } = targetOf(body);
    const found = await this.find(caller, field, id);
    if (!found) throw InvalidRequestError.of(field, missing(field, id));
    const { target, title, url } = found;
    const work = this.transactions.run((manager) =>
      this.stars.add(manager, target, { presenterId: caller.id, title, url }),
    );
    await refusingGone(work, field, missing(field, id));
  }

  /** Takes a star back. */
  remove({ id }: StarResource): Promise<void> {
    return this.transactions.run((manager) => this.stars.remove(manager, id));
  }

  private async find(
    caller: Caller,
    field: TargetField,
    id: number,
  ): Promise<(Starrable & { target: StarTarget }) | undefined> {
    switch (field) {
      case 'issueId':
        return onThread(await this.issues.findStarrable(caller, id));
      case 'wikiId':
        return onThread(await this.wikis.findStarrable(caller, id));
      case 'pullRequestId':
        return onThread(await this.pullRequests.findStarrable(caller, id));
      case 'commentId':
        return this.findComment(id, (threadId) => this.issues.findStarrableByThread(caller, threadId));
      case 'pullRequestCommentId':
        return this.findComment(id, (threadId) => this.pullRequests.findStarrableByThread(caller, threadId));
    }
  }

  /** @param findOwner what the comment is on, if that can be seen */
  private async findComment(
    commentId: number,
    findOwner: (threadId: number) => Promise<Starrable | undefined>,
  ): Promise<(Starrable & { target: StarTarget }) | undefined> {
    const threadId = await this.comments.findThreadId(commentId);
    const owner = threadId === undefined ? undefined : await findOwner(threadId);
    return owner && { ...owner, url: `${owner.url}#comment-${commentId}`, target: { commentId } };
  }
}

const onThread = (found: Starrable | undefined): (Starrable & { target: StarTarget }) | undefined =>
  found && { ...found, target: { threadId: found.threadId } };

/** The one thing that a body names. */
function targetOf(body: AddStarDto): { field: TargetField; id: number } {
  const named = FIELDS.flatMap((field) => {
    const id = body[field];
    return id == null ? [] : [{ field, id }];
  });
  const [only, ...others] = named;
  const message = `Exactly one of ${FIELDS.join(', ')} is needed.`;
  if (!only) throw InvalidRequestError.of(FIELDS.join(', '), message);
  if (others.length > 0) {
    throw new InvalidRequestError(named.map(({ field }) => ({ message, moreInfo: field })));
  }
  return only;
}

const missing = (field: TargetField, id: number): string =>
  `There is no ${TARGETS[field]} with the id ${id}.`;
