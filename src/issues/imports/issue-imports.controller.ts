import { Body, Controller, Delete, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../../access/access';
import { type AuditedCaller } from '../../access/caller';
import { RoleType } from '../../access/role-type';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { Created } from '../../http/response/created';
import { IMPORT_OPERATION } from '../../openapi/import-operation';
import { Operation } from '../../openapi/operation';
import { PastDeletionDto } from '../../users/dto/past-change-fields';
import { PastChangesService } from '../../users/past-changes.service';
import { IssueAttachmentLoader, type IssueAttachmentResource } from '../attachments/issue-attachment.loader';
import { IssueAttachmentsService } from '../attachments/issue-attachments.service';
import { IssueUpdateService } from '../changes/issue-update.service';
import { ImportIssueUpdateDto } from '../dto/import-issue-update.dto';
import { ImportIssueDto } from '../dto/import-issue.dto';
import { IssueDto } from '../dto/issue.dto';
import { IssueLoader, type IssueResource } from '../issue.loader';
import { issuePath } from '../issue.mapper';
import { IssuesService } from '../issues.service';

@ApiTags('Issues')
@Controller('issues')
export class IssueImportsController {
  constructor(
    private readonly past: PastChangesService,
    private readonly issues: IssuesService,
    private readonly updates: IssueUpdateService,
    private readonly attachments: IssueAttachmentsService,
  ) {}

  @Post('import')
  @Operation({
    summary: 'Import an issue',
    description: `Like adding an issue. Writes activity 1. ${IMPORT_OPERATION}`,
    returns: IssueDto,
    creates: 'located',
    countLimit: ['issue', 'attachedFile'],
  })
  @Access({ roles: [RoleType.Administrator] })
  async importIssue(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ImportIssueDto,
  ): Promise<Created<IssueDto>> {
    const issue = await this.issues.create(caller, body, await this.past.of(caller, body));
    return new Created(issue, issuePath(issue.issueKey));
  }

  @Patch(':issueIdOrKey/import')
  @Operation({
    summary: 'Import an update of an issue',
    description: `Like updating an issue: one request is one comment with its change log. \`createdUserId\` and \`created\` default to
\`updatedUserId\` and \`updated\`. Writes activity 2 or 3. ${IMPORT_OPERATION}`,
    returns: IssueDto,
    countLimit: 'attachedFile',
  })
  @Access({ roles: [RoleType.Administrator], resource: IssueLoader })
  async importIssueUpdate(
    @PathResource() issue: IssueResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ImportIssueUpdateDto,
  ): Promise<IssueDto> {
    const author = { createdUserId: body.createdUserId ?? body.updatedUserId };
    return this.updates.update(issue, caller, body, await this.past.of(caller, { ...body, ...author }));
  }

  @Delete(':issueIdOrKey/attachments/import/:attachmentId')
  @Operation({
    summary: 'Import the deletion of a file attached to an issue',
    description: `Like deleting the file: records the deletion in the \`changeLog\` of a comment without text. Writes activity 2.
${IMPORT_OPERATION}`,
    returns: AttachedFileDto,
  })
  @ApiBody({ type: PastDeletionDto, required: false })
  @Access({ roles: [RoleType.Administrator], resource: IssueAttachmentLoader })
  async importIssueAttachmentDeletion(
    @PathResource() attachment: IssueAttachmentResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: PastDeletionDto,
  ): Promise<AttachedFileDto> {
    return this.attachments.delete(attachment, caller, await this.past.of(caller, body));
  }
}
