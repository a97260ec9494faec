import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/caller';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { CountLimitsService } from '../../limits/count-limits.service';
import { IssueLookupRepository } from '../data/issue-lookup.repository';
import { IssueRepository } from '../data/issue.repository';
import { RelatedIssueRepository } from '../data/related-issue.repository';
import { type IssueDto } from '../dto/issue.dto';
import { type RelatedIssueDto } from '../dto/related-issue.dto';
import { IssueReaderService } from '../issue-reader.service';
import { type IssueResource } from '../issue.loader';
import { type RelatedIssueResource } from './related-issue.loader';

/** Manages relations between issues. A relation has no direction: each issue shows the other. */
@Injectable()
export class RelatedIssuesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly relations: RelatedIssueRepository,
    private readonly issues: IssueRepository,
    private readonly lookups: IssueLookupRepository,
    private readonly limits: CountLimitsService,
    private readonly reader: IssueReaderService,
  ) {}

  /** Returns the issues that are related to one and visible to the caller, in the order of addition. */
  async list({ id }: IssueResource, caller: Caller): Promise<RelatedIssueDto[]> {
    const issues = await this.reader.findByIds(await this.relations.findVisibleIds(caller, id));
    return issues.map(toRelatedIssueDto);
  }

  /**
   * Relates an issue to another, and returns the other. Changes nothing if they are already related or the same.
   * @throws InvalidRequestError for an issue that the caller cannot see, ResourceOverflowError when either has too many relations,
   *   NoResourceError when the issue has been deleted concurrently
   */
  async add({ id }: IssueResource, caller: Caller, targetId: number): Promise<RelatedIssueDto> {
    const missing = InvalidRequestError.of('targetIssueId', `There is no issue ${targetId}.`);
    if (!(await this.lookups.findVisible(caller, { id: targetId }))) throw missing;
    return this.transactions.run(async (manager) => {
      if (targetId !== id) {
        // Locks both, because both have a limit.
        const places = await this.issues.lockPlaces(manager, [id, targetId]);
        if (!places.has(id)) throw new NoResourceError('issue');
        if (!places.has(targetId)) throw missing;
        const ofIssue = await this.relations.findAll(manager, id);
        if (!ofIssue.some((relation) => relation.id === targetId)) {
          const ofTarget = await this.relations.findAll(manager, targetId);
          this.limits.require('relatedIssue', Math.max(ofIssue.length, ofTarget.length) + 1);
          // The order of a list is that of addition, within a millisecond and after a change of the clock too.
          const earlier = [...ofIssue, ...ofTarget].map(({ created }) => created + 1);
          await this.relations.insert(manager, id, targetId, Math.max(Date.now(), ...earlier));
        }
      }
      return toRelatedIssueDto(await this.reader.get(targetId, { runner: manager }));
    });
  }

  /**
   * Removes a relation, and returns the other issue.
   * @throws NoResourceError when a concurrent request has removed it
   */
  remove({ issueId, targetId }: RelatedIssueResource): Promise<RelatedIssueDto> {
    return this.transactions.run(async (manager) => {
      if (!(await this.relations.delete(manager, issueId, targetId))) {
        throw new NoResourceError('related issue');
      }
      return toRelatedIssueDto(await this.reader.get(targetId, { runner: manager }));
    });
  }
}

const toRelatedIssueDto = (issue: IssueDto): RelatedIssueDto => ({ ...issue, type: 'RELATES' });
