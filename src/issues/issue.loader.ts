import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { columnsOf } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { isNumeric, parseId } from '../http/request/path-id';
import { findVisible, type ProjectResource } from '../projects/project-resource';
import { type Caller } from '../access/caller';

/** An issue that the path names. */
export interface IssueResource extends ProjectResource {
  keyId: number;
  threadId: number;
}

const RESOURCE_PROPERTIES = ['id', 'projectId', 'keyId', 'threadId'];
const ISSUE_KEY = /^([A-Z][A-Z0-9_]{0,24})-([1-9][0-9]*)$/;

/** Finds the issue of `/issues/{issueIdOrKey}/…`; one in a project that the caller may not see is not there. */
@Injectable()
export class IssueLoader implements ResourceLoader<IssueResource> {
  protected readonly columns: string = columnsOf('i', RESOURCE_PROPERTIES);

  constructor(private readonly dataSource: DataSource) {}

  async load({ issueIdOrKey = '' }: PathParameters, caller: Caller): Promise<IssueResource> {
    const found = isNumeric(issueIdOrKey)
      ? await this.findById(issueIdOrKey, caller)
      : await this.findByKey(issueIdOrKey, caller);
    if (!found) throw new NoResourceError('issue');
    return found;
  }

  private async findById(text: string, caller: Caller): Promise<IssueResource | undefined> {
    const id = parseId(text);
    return id === undefined ? undefined : this.findWhere(caller, 'i.id = ?', [id]);
  }

  private async findByKey(key: string, caller: Caller): Promise<IssueResource | undefined> {
    const [, projectKey, number] = ISSUE_KEY.exec(key) ?? [];
    const keyId = parseId(number);
    if (projectKey === undefined || keyId === undefined) return undefined;
    return this.findWhere(caller, 'p.project_key = ? AND i.key_id = ?', [projectKey, keyId]);
  }

  private async findWhere(
    caller: Caller,
    condition: string,
    parameters: unknown[],
  ): Promise<IssueResource | undefined> {
    return findVisible<Omit<IssueResource, keyof AccessResource>>(this.dataSource, caller, {
      select: this.columns,
      from: 'issue i',
      projectId: 'i.project_id',
      where: condition,
      parameters,
    });
  }
}

/** An issue with what is told of it. */
export interface DescribedIssueResource extends IssueResource {
  projectKey: string;
  summary: string;
  description: string;
}

/** The same with the issue's texts, for what is done so often that reading them again would be felt. */
@Injectable()
export class DescribedIssueLoader extends IssueLoader implements ResourceLoader<DescribedIssueResource> {
  protected override readonly columns = `${columnsOf('i', [...RESOURCE_PROPERTIES, 'summary', 'description'])},
    p.project_key AS projectKey`;

  override async load(parameters: PathParameters, caller: Caller): Promise<DescribedIssueResource> {
    return (await super.load(parameters, caller)) as DescribedIssueResource;
  }
}
