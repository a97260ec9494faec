import { Injectable } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { IssueLookupRepository, type VisibleIssue } from './data/issue-lookup.repository';
import { issueAddressOf } from './issue.loader';

const FIELD = 'issueIdOrKey';

/** Finds the issues that bodies name as paths do, by `issueIdOrKey`. */
@Injectable()
export class NamedIssueService {
  constructor(private readonly issues: IssueLookupRepository) {}

  /**
   * Does something with the issue.
   * @throws InvalidRequestError when there is none that the caller may see, or it is deleted meanwhile
   */
  async use<T>(caller: Caller, idOrKey: string, work: (issue: VisibleIssue) => Promise<T>): Promise<T> {
    const address = issueAddressOf(idOrKey);
    const issue = address && (await this.issues.findVisible(caller, address));
    if (!issue) throw noSuchIssue();
    try {
      return await work(issue);
    } catch (error) {
      throw error instanceof NoResourceError ? noSuchIssue() : error;
    }
  }
}

/** The error of a body that names an issue that is not there. */
export const noSuchIssue = (): InvalidRequestError =>
  InvalidRequestError.of(FIELD, 'There is no such issue.');
