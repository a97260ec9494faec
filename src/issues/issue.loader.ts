import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { isNumeric, parseId } from '../http/request/path-id';
import {
  type DescribedIssue,
  type IssueAddress,
  IssueLookupRepository,
  type VisibleIssue,
  type WholeIssue,
} from './data/issue-lookup.repository';

/** The issue that the path identifies. */
export type IssueResource = VisibleIssue;

/** The issue with its texts and the key of its project. */
export type DescribedIssueResource = DescribedIssue;

const ISSUE_KEY = /^([A-Z][A-Z0-9_]{0,24})-([1-9][0-9]*)$/;

/** Loads the issue of `/issues/{issueIdOrKey}/…`. Issues in projects that the caller cannot see are not found. */
@Injectable()
export class IssueLoader implements ResourceLoader<IssueResource> {
  constructor(private readonly issues: IssueLookupRepository) {}

  load({ issueIdOrKey }: PathParameters, caller: Caller): Promise<IssueResource> {
    return findIssue(issueIdOrKey, (address) => this.issues.findVisible(caller, address));
  }
}

/** Loads the issue with its texts in one query, for an operation so frequent that a second query would be noticeable. */
@Injectable()
export class DescribedIssueLoader implements ResourceLoader<DescribedIssueResource> {
  constructor(private readonly issues: IssueLookupRepository) {}

  load({ issueIdOrKey }: PathParameters, caller: Caller): Promise<DescribedIssueResource> {
    return findIssue(issueIdOrKey, (address) => this.issues.findDescribed(caller, address));
  }
}

/** Loads the issue with its row, for the operation that answers with it. */
@Injectable()
export class WholeIssueLoader implements ResourceLoader<WholeIssue> {
  constructor(private readonly issues: IssueLookupRepository) {}

  load({ issueIdOrKey }: PathParameters, caller: Caller): Promise<WholeIssue> {
    return findIssue(issueIdOrKey, (address) => this.issues.findWhole(caller, address));
  }
}

async function findIssue<Found>(
  idOrKey: string | undefined,
  find: (address: IssueAddress) => Promise<Found | undefined>,
): Promise<Found> {
  const address = idOrKey === undefined ? undefined : issueAddressOf(idOrKey);
  const found = address && (await find(address));
  if (!found) throw new NoResourceError('issue');
  return found;
}

/** Parses an issue id or key; digits only are an id. Returns undefined for a value that is neither. */
export function issueAddressOf(idOrKey: string): IssueAddress | undefined {
  if (isNumeric(idOrKey)) {
    const id = parseId(idOrKey);
    return id === undefined ? undefined : { id };
  }
  const [, projectKey, number] = ISSUE_KEY.exec(idOrKey) ?? [];
  const keyId = parseId(number);
  return projectKey === undefined || keyId === undefined ? undefined : { projectKey, keyId };
}
