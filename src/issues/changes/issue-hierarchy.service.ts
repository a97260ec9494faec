import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { InvalidRequestError, type ReadValidIds } from '../../errors/domain-errors';
import { type IssuePlace, IssueRepository } from '../data/issue.repository';

/** Enforces the rules of the issue hierarchy: a child is in its parent's project, and children cannot have children. */
@Injectable()
export class IssueHierarchyService {
  constructor(private readonly issues: IssueRepository) {}

  /**
   * Checks that an issue can become the child of another. The transaction must hold locks on both.
   * @param places the locked issues by id
   * @param issueId undefined for a new issue
   * @throws InvalidRequestError for `parentIssueId`
   */
  async checkParent(
    manager: EntityManager,
    places: ReadonlyMap<number, IssuePlace>,
    projectId: number,
    parentIssueId: number,
    issueId?: number,
  ): Promise<void> {
    const parent = places.get(parentIssueId);
    if (parent?.projectId !== projectId) {
      throw parentError(`There is no issue ${parentIssueId} in the project.`, (limit) =>
        this.issues.findIdsInProject(projectId, limit),
      );
    }
    if (parentIssueId === issueId) throw parentError('An issue cannot be its own parent.');
    if (parent.parentIssueId !== null) {
      throw parentError(`Issue ${parentIssueId} is a child issue and cannot be a parent.`);
    }
    if (issueId !== undefined && (await this.issues.hasChildren(manager, issueId))) {
      throw parentError('The issue has child issues and cannot become a child issue.');
    }
  }
}

const parentError = (message: string, readValidIds?: ReadValidIds): InvalidRequestError =>
  InvalidRequestError.of('parentIssueId', message, readValidIds);
