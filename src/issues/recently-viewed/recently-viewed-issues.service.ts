import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/caller';
import { toTimestamp } from '../../http/request/timestamp';
import { type OffsetPaging, Page } from '../../paging/page';
import { ViewKind } from '../../views/view-kind';
import { ViewsService } from '../../views/views.service';
import { IssueLookupRepository } from '../data/issue-lookup.repository';
import { type IssueDto } from '../dto/issue.dto';
import { type RecentlyViewedIssueDto } from '../dto/recently-viewed-issue.dto';
import { IssueReaderService } from '../issue-reader.service';
import { NamedIssueService } from '../named-issue.service';

/** Manages the recently viewed issues of users. */
@Injectable()
export class RecentlyViewedIssuesService {
  constructor(
    private readonly views: ViewsService,
    private readonly lookups: IssueLookupRepository,
    private readonly named: NamedIssueService,
    private readonly reader: IssueReaderService,
  ) {}

  /** Returns one page of the issues that the caller has viewed and can still see. */
  async list(caller: Caller, query: OffsetPaging): Promise<Page<RecentlyViewedIssueDto>> {
    const { items, next } = await this.views.page(caller.id, ViewKind.Issue, query, (ids) =>
      this.lookups.findVisibleIds(caller, ids),
    );
    const issues = await this.reader.findByIds(items.map(({ subjectId }) => subjectId));
    const byId = new Map(issues.map((issue) => [issue.id, issue]));
    return new Page(
      items.flatMap(({ subjectId, viewed }) => {
        const issue = byId.get(subjectId);
        return issue ? [{ issue, updated: toTimestamp(viewed) }] : [];
      }),
      next,
    );
  }

  /**
   * Records that the caller has viewed an issue, and returns it.
   * @throws InvalidRequestError when the caller can see no such issue
   */
  add(caller: Caller, issueIdOrKey: string): Promise<IssueDto> {
    return this.named.use(caller, issueIdOrKey, async (issue) => {
      const dto = await this.reader.get(issue.id);
      await this.views.add(caller.id, ViewKind.Issue, issue);
      return dto;
    });
  }
}
