import { Injectable } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { IssueLookupRepository, type VisibleIssue } from './data/issue-lookup.repository';
import { issueAddressOf } from './issue.loader';

const FIELD = 'issueIdOrKey';

/** Resolves issues that request bodies name by `issueIdOrKey`, as paths do. */
@Injectable()
export class NamedIssueService {
  constructor(private readonly issues: IssueLookupRepository) {}

  /**
   * Runs work with the issue.
   * @throws InvalidRequestError when the caller can see no such issue, or it is deleted concurrently
   */
  async use<T>(caller: Caller, idOrKey: string, work: (issue: VisibleIssue) => Promise<T>): Promise<T> {
    const address = issueAddressOf(idOrKey);
    const issue = address && (await this.issues.findVisible(caller, address));
    if (!issue) throw unknownIssueError();
    try {
      return await work(issue);
    } catch (error) {
      throw error instanceof NoResourceError ? unknownIssueError() : error;
    }
  }
}

/** Returns the error for a body that names a missing issue. */
export const unknownIssueError = (): InvalidRequestError =>
  InvalidRequestError.of(FIELD, `${FIELD} must be an existing issue.`);
